package io.github.sqlitehealth.diagnosis;

import static io.github.sqlitehealth.diagnosis.Speech.began;
import static io.github.sqlitehealth.diagnosis.Speech.content;
import static io.github.sqlitehealth.diagnosis.Speech.fresh;
import static io.github.sqlitehealth.diagnosis.Speech.freshBad;
import static io.github.sqlitehealth.diagnosis.Speech.freshOk;
import static io.github.sqlitehealth.diagnosis.Speech.freshUnasked;
import static io.github.sqlitehealth.diagnosis.Speech.identity;
import static io.github.sqlitehealth.diagnosis.Speech.live;
import static io.github.sqlitehealth.diagnosis.Speech.liveBad;
import static io.github.sqlitehealth.diagnosis.Speech.liveOk;
import static io.github.sqlitehealth.diagnosis.Speech.minute;
import static io.github.sqlitehealth.diagnosis.Speech.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class DiagnosisTest {

    @Test
    void nothingSaidIsNothingFound() {
        assertThat(Diagnosis.of(began(), minute(1))).isEmpty();
    }

    @Test
    void aStaleFileIsStranded() {
        Testimonies said = began().withIdentity(identity(Answer.BAD, Reason.STALE_FILES, 1));
        assertThat(found(said)).containsExactly("STRANDED/IDENTITY/confirmed");
    }

    @Test
    void noFileAndNothingHeldIsMissing() {
        Testimonies said = began().withIdentity(identity(Answer.BAD, Reason.NO_FILE, 1));
        assertThat(found(said)).containsExactly("MISSING/IDENTITY/confirmed");
    }

    @ParameterizedTest
    @EnumSource(
            value = Answer.class,
            names = {"OK", "TRANSIENT", "UNASKED"})
    void anIdentityThatIsNotBadIsNoFinding(Answer says) {
        assertThat(found(began().withIdentity(identity(says, Reason.NOT_YET, 1))))
                .isEmpty();
    }

    static Stream<Arguments> quickChecks() {
        Check q = Check.QUICK;
        return Stream.of(
                arguments("live OK, fresh OK", liveOk(1), freshOk(q, 1), null, List.of()),
                arguments("live BAD, fresh BAD", liveBad(1), freshBad(q, 1), null, List.of("DAMAGED/QUICK/confirmed")),
                arguments(
                        "live BAD, fresh cannot be opened",
                        liveBad(1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        null,
                        List.of("DAMAGED/QUICK/unconfirmed")),
                arguments(
                        "live BAD, fresh was not asked", liveBad(1), null, null, List.of("DAMAGED/QUICK/unconfirmed")),
                arguments(
                        "live BAD, fresh OK",
                        liveBad(1),
                        freshOk(q, 1),
                        null,
                        List.of("CONNECTION_CONFUSED/QUICK/confirmed")),
                arguments(
                        "fresh BAD twice, live OK",
                        liveOk(1),
                        freshBad(q, 1),
                        freshBad(q, 1),
                        List.of("DAMAGED/QUICK/confirmed")),
                arguments(
                        "fresh BAD, second cannot be asked",
                        liveOk(1),
                        freshBad(q, 1),
                        freshUnasked(q, Reason.BUSY, 1),
                        List.of("DAMAGED/QUICK/unconfirmed")),
                arguments(
                        "fresh BAD, second OK",
                        liveOk(1),
                        freshBad(q, 1),
                        freshOk(q, 1),
                        List.of("SUSPECT/QUICK/confirmed")),
                arguments(
                        "live TRANSIENT, fresh OK",
                        live(Answer.TRANSIENT, Reason.CORRUPT, 1),
                        freshOk(q, 1),
                        null,
                        List.of("SUSPECT/QUICK/confirmed")),
                arguments(
                        "live TRANSIENT, fresh BAD twice: the disk is bad",
                        live(Answer.TRANSIENT, Reason.CORRUPT, 1),
                        freshBad(q, 1),
                        freshBad(q, 1),
                        List.of("DAMAGED/QUICK/confirmed")),
                arguments(
                        "I/O errors on both",
                        live(Answer.UNASKED, Reason.IO_ERROR, 1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        null,
                        List.of("UNREADABLE/QUICK/confirmed")),
                arguments(
                        "I/O errors on two fresh ones, live cannot be asked",
                        live(Answer.UNASKED, Reason.NO_CONNECTION, 1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        List.of("UNREADABLE/QUICK/confirmed")),
                arguments("I/O error on fresh only", liveOk(1), freshUnasked(q, Reason.IO_ERROR, 1), null, List.of()),
                arguments(
                        "I/O errors on two fresh ones, live OK",
                        liveOk(1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        freshUnasked(q, Reason.IO_ERROR, 1),
                        List.of()),
                arguments(
                        "I/O error on live only",
                        live(Answer.UNASKED, Reason.IO_ERROR, 1),
                        freshOk(q, 1),
                        null,
                        List.of()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("quickChecks")
    void quickCheck(
            String row, Testimony live, @Nullable Testimony fresh, @Nullable Testimony second, List<String> findings) {
        assertThat(found(began().withQuick(new Hearing(live, fresh, second, null))))
                .as(row)
                .isEqualTo(findings);
    }

    @ParameterizedTest
    @EnumSource(
            value = Reason.class,
            names = {"BUSY", "INTERRUPTED", "NO_CONNECTION", "APPLICATION_ONLY", "NOT_SUPPORTED", "OTHER", "STALE_FILES"
            })
    void whatCouldNotBeAskedOnEitherSideAccusesNobody(Reason reason) {
        Hearing hearing = quick(live(Answer.UNASKED, reason, 1), freshUnasked(Check.QUICK, reason, 1));
        assertThat(found(began().withQuick(hearing))).isEmpty();
    }

    /** "A second opinion that cannot be asked is not an all-clear": for no reason whatever. */
    @ParameterizedTest
    @EnumSource(Reason.class)
    void noReasonOfASilentSecondOpinionAcquitsTheFile(Reason reason) {
        Hearing hearing = quick(liveBad(1), freshUnasked(Check.QUICK, reason, 1));
        assertThat(found(began().withQuick(hearing))).containsExactly("DAMAGED/QUICK/unconfirmed");
    }

    @Test
    void aFullCheckThatFailsTwiceIsDamageEvenWhereTheQuickOnePasses() {
        Testimonies said =
                began().withQuick(quick(liveOk(2), freshOk(Check.QUICK, 2))).withFull(Speech.fullBad(1));
        assertThat(found(said)).containsExactly("DAMAGED/FULL/confirmed");
    }

    @Test
    void aFullCheckThatPassesTheSecondTimeIsSuspect() {
        Hearing full = new Hearing(null, freshBad(Check.FULL, 1), freshOk(Check.FULL, 1), null);
        assertThat(found(began().withFull(full))).containsExactly("SUSPECT/FULL/confirmed");
    }

    @Test
    void contentThatIsGoneIsEmptied() {
        Hearing hearing = new Hearing(liveOk(1), freshOk(Check.QUICK, 1), null, content(Answer.BAD, 1));
        assertThat(found(began().withQuick(hearing))).containsExactly("EMPTIED/QUICK/confirmed");
    }

    @Test
    void everythingThatHoldsIsListedAndTheGravestComesFirst() {
        Hearing hearing = new Hearing(
                live(Answer.UNASKED, Reason.IO_ERROR, 1),
                fresh(Check.QUICK, Answer.UNASKED, Reason.IO_ERROR, 1),
                null,
                content(Answer.BAD, 1));
        Testimonies said = began().withQuick(hearing)
                .withFull(Speech.fullBad(1))
                .withIdentity(identity(Answer.BAD, Reason.STALE_FILES, 40));
        assertThat(Diagnosis.of(said, minute(40)).stream().map(Finding::verdict))
                .containsExactly(
                        Verdict.STRANDED, Verdict.DAMAGED, Verdict.UNREADABLE, Verdict.EMPTIED, Verdict.UNVERIFIED);
    }

    @Test
    void precedenceIsThatOfTheContract() {
        assertThat(Verdict.values())
                .containsExactly(
                        Verdict.STRANDED,
                        Verdict.MISSING,
                        Verdict.DAMAGED,
                        Verdict.UNREADABLE,
                        Verdict.EMPTIED,
                        Verdict.WRITES_FAILING,
                        Verdict.CONNECTION_CONFUSED,
                        Verdict.LOCKS_LOST,
                        Verdict.UNVERIFIED,
                        Verdict.SUSPECT,
                        Verdict.HEALTHY);
    }

    @Test
    void silenceWithinThePatienceIsNoFinding() {
        assertThat(Diagnosis.of(began(), minute(30))).isEmpty();
    }

    @Test
    void silenceBeyondThePatienceIsUnverifiedSinceTheLastAnswer() {
        Testimonies said = began().withQuick(quick(liveOk(7), freshOk(Check.QUICK, 7)))
                .withIdentity(identity(Answer.OK, Reason.NONE, 37));
        assertThat(Diagnosis.of(said, minute(37))).isEmpty();
        assertThat(Diagnosis.of(said, minute(38))).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(finding.source()).isEqualTo(Check.QUICK);
            assertThat(finding.at()).isEqualTo(minute(7));
            assertThat(finding.text()).isEqualTo("no check has come to an end");
        });
    }

    @Test
    void aPoolThatNeverSparesAConnectionIsSilenceAndSaysWhy() {
        Testimonies said = began().withQuick(quick(liveOk(1), freshOk(Check.QUICK, 1)))
                .withQuick(quick(live(Answer.UNASKED, Reason.NO_CONNECTION, 32), freshOk(Check.QUICK, 32)));
        assertThat(Diagnosis.of(said, minute(32))).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(finding.text()).isEqualTo("live says UNASKED in minute 32");
            assertThat(finding.at()).isEqualTo(minute(1));
        });
    }

    @Test
    void aWatchThatNoLongerLooksIsSilenceToo() {
        Testimonies said = began().withIdentity(identity(Answer.OK, Reason.NONE, 3))
                .withQuick(quick(liveOk(34), freshOk(Check.QUICK, 34)));
        assertThat(Diagnosis.of(said, minute(34))).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(finding.source()).isEqualTo(Check.IDENTITY);
            assertThat(finding.at()).isEqualTo(minute(3));
        });
    }

    @Test
    void whereThereIsNothingToAskSilenceIsExcused() {
        Testimonies said = began().withIdentity(identity(Answer.UNASKED, Reason.NOT_YET, 50))
                .excused(minute(50));
        assertThat(Diagnosis.of(said, minute(60))).isEmpty();
    }

    private static List<String> found(Testimonies said) {
        return Diagnosis.of(said, minute(2)).stream()
                .map(finding -> finding.verdict() + "/" + finding.source() + "/"
                        + (finding.confirmed() ? "confirmed" : "unconfirmed"))
                .toList();
    }
}
