package io.github.sqlitehealth.diagnosis;

import static io.github.sqlitehealth.diagnosis.Speech.content;
import static io.github.sqlitehealth.diagnosis.Speech.freshBad;
import static io.github.sqlitehealth.diagnosis.Speech.freshOk;
import static io.github.sqlitehealth.diagnosis.Speech.freshUnasked;
import static io.github.sqlitehealth.diagnosis.Speech.fullBad;
import static io.github.sqlitehealth.diagnosis.Speech.fullOk;
import static io.github.sqlitehealth.diagnosis.Speech.identity;
import static io.github.sqlitehealth.diagnosis.Speech.live;
import static io.github.sqlitehealth.diagnosis.Speech.liveBad;
import static io.github.sqlitehealth.diagnosis.Speech.liveOk;
import static io.github.sqlitehealth.diagnosis.Speech.minute;
import static io.github.sqlitehealth.diagnosis.Speech.quick;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LatchTest {

    private Testimonies said = Speech.began();
    private Latch latch = Latch.OPEN;

    @Test
    void nothingHeldIsHealthy() {
        assertThat(Latch.OPEN.verdict()).isEqualTo(Verdict.HEALTHY);
        assertThat(Latch.OPEN.first()).isNull();
        assertThat(Latch.OPEN.latched()).isFalse();
    }

    @Test
    void whatIsFoundAgainKeepsTheTimeAtWhichItWasFirstFound() {
        hearQuick(1, liveBad(1), freshBad(Check.QUICK, 1));
        hearQuick(11, liveBad(11), freshBad(Check.QUICK, 11));
        assertThat(latch.held()).singleElement().satisfies(held -> {
            assertThat(held.since()).isEqualTo(minute(1));
            assertThat(held.finding().at()).isEqualTo(minute(11));
        });
    }

    @Test
    void damageIsNotClearedByAnyNumberOfQuickChecksThatPass() {
        damagedByQuickCheck();
        for (int minute = 2; minute < 200; minute += 10) {
            healthyQuick(minute);
            assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
        }
        assertThat(latch.held().get(0).since()).isEqualTo(minute(1));
    }

    @Test
    void damageIsClearedByAFullCheckThatPassesAndALiveOneAfterIt() {
        damagedByQuickCheck();
        healthyQuick(2);
        hearFull(3, fullOk(3));
        assertThat(latch.verdict()).as("live has not passed since").isEqualTo(Verdict.DAMAGED);
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void aLiveCheckThatPassedBeforeTheFullOneDoesNotCount() {
        damagedByQuickCheck();
        healthyQuick(2);
        healthyQuick(3);
        hearFull(4, fullOk(4));
        pulse(5);
        pulse(6);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
    }

    @Test
    void aFullCheckThatPassedBeforeTheDamageDoesNotCount() {
        hearFull(1, fullOk(1));
        hearQuick(2, liveBad(2), freshBad(Check.QUICK, 2));
        healthyQuick(3);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
    }

    @Test
    void damageFoundAgainAfterTheFullCheckNeedsAnotherFullCheck() {
        damagedByQuickCheck();
        hearFull(3, fullOk(3));
        hearQuick(4, liveBad(4), freshBad(Check.QUICK, 4));
        healthyQuick(5);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Answer.class,
            names = {"TRANSIENT", "UNASKED"})
    void onlyALiveCheckThatPassesCompletesTheAllClear(Answer says) {
        damagedByQuickCheck();
        hearFull(3, fullOk(3));
        hearQuick(4, live(says, Reason.OTHER, 4), freshOk(Check.QUICK, 4));
        assertThat(latch.holds(Verdict.DAMAGED)).isTrue();
    }

    @Test
    void aFullCheckThatCouldNotBeAskedClearsNothing() {
        damagedByQuickCheck();
        hearFull(3, new Hearing(null, freshUnasked(Check.FULL, Reason.INTERRUPTED, 3), null, null));
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
    }

    @Test
    void damageFoundByTheFullCheckIsNotClearedByTheQuickOne() {
        hearFull(1, fullBad(1));
        healthyQuick(2);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
        hearFull(3, fullOk(3));
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void eachSourceOfOneVerdictIsHeldOnItsOwn() {
        damagedByQuickCheck();
        hearFull(2, fullBad(2));
        assertThat(latch.held().stream().map(held -> held.finding().source()))
                .containsExactlyInAnyOrder(Check.QUICK, Check.FULL);
        hearFull(3, fullOk(3));
        healthyQuick(4);
        assertThat(latch.held()).isEmpty();
    }

    @Test
    void anAccusationThatNobodyCouldConfirmEndsAsConfusionWhenTheFileIsAcquitted() {
        hearQuick(1, liveBad(1), freshUnasked(Check.QUICK, Reason.IO_ERROR, 1));
        assertThat(latch.held())
                .singleElement()
                .satisfies(held -> assertThat(held.finding().confirmed()).isFalse());
        hearQuick(2, liveBad(2), freshOk(Check.QUICK, 2));
        assertThat(verdicts())
                .as("only a full check acquits")
                .containsExactly(Verdict.DAMAGED, Verdict.CONNECTION_CONFUSED);
        hearFull(3, fullOk(3));
        assertThat(verdicts()).containsExactly(Verdict.CONNECTION_CONFUSED);
    }

    @Test
    void aFileThatWasHealedIsNotToBeRestoredBecauseALiveConnectionStillSeesTheDamage() {
        damagedByQuickCheck();
        hearQuick(2, liveBad(2), freshOk(Check.QUICK, 2));
        assertThat(verdicts()).containsExactly(Verdict.DAMAGED, Verdict.CONNECTION_CONFUSED);
        hearFull(3, fullOk(3));
        assertThat(verdicts()).containsExactly(Verdict.CONNECTION_CONFUSED);
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void damageIsNotClearedByChecksOfADatabaseThatWasEmptiedMeanwhile() {
        damagedByQuickCheck();
        hearContent(2, content(Answer.BAD, 2));
        hearFull(3, fullOk(3));
        hearContent(4, content(Answer.BAD, 4));
        assertThat(verdicts()).containsExactly(Verdict.DAMAGED, Verdict.EMPTIED);
        hearContent(5, content(Answer.OK, 5));
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void strandedEndsOnlyWhenNothingIsStaleAnyMore() {
        look(1, Answer.BAD, Reason.STALE_FILES);
        look(2, Answer.UNASKED, Reason.IO_ERROR);
        look(3, Answer.UNASKED, Reason.NOT_SUPPORTED);
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.STRANDED);
        look(5, Answer.OK, Reason.NONE);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void strandedBecomesMissingWhenTheLastStaleFileIsLetGoAndNoneIsAtThePath() {
        look(1, Answer.BAD, Reason.STALE_FILES);
        look(2, Answer.BAD, Reason.NO_FILE);
        assertThat(verdicts()).containsExactly(Verdict.MISSING);
    }

    @Test
    void missingEndsWhenTheFileIsThereAgainAndNotWhenItCouldNotBeLookedFor() {
        look(1, Answer.BAD, Reason.NO_FILE);
        look(2, Answer.UNASKED, Reason.IO_ERROR);
        assertThat(latch.verdict()).isEqualTo(Verdict.MISSING);
        look(3, Answer.OK, Reason.NONE);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void confusionEndsWhenALaterLiveCheckPasses() {
        hearQuick(1, liveBad(1), freshOk(Check.QUICK, 1));
        assertThat(latch.verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
        hearQuick(2, live(Answer.UNASKED, Reason.NO_CONNECTION, 2), freshOk(Check.QUICK, 2));
        assertThat(latch.verdict()).as("the confused connection is in use").isEqualTo(Verdict.CONNECTION_CONFUSED);
        hearFull(3, fullOk(3));
        assertThat(latch.verdict()).as("nobody doubts the file").isEqualTo(Verdict.CONNECTION_CONFUSED);
        healthyQuick(4);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void confusionEndsWhenTheFileTurnsOutToBeDamaged() {
        hearQuick(1, liveBad(1), freshOk(Check.QUICK, 1));
        hearQuick(2, liveBad(2), freshBad(Check.QUICK, 2));
        assertThat(verdicts()).containsExactly(Verdict.DAMAGED);
    }

    @Test
    void emptiedEndsWhenTheContentIsBackAndNotWhenNobodyCouldLook() {
        hearContent(1, content(Answer.BAD, 1));
        hearContent(2, content(Answer.UNASKED, 2));
        hearQuick(3, liveOk(3), freshOk(Check.QUICK, 3));
        assertThat(latch.verdict()).isEqualTo(Verdict.EMPTIED);
        hearContent(4, content(Answer.OK, 4));
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void unreadableEndsWhenAReadPassesAndNoneFails() {
        Testimony liveError = live(Answer.UNASKED, Reason.IO_ERROR, 1);
        hearQuick(1, liveError, freshUnasked(Check.QUICK, Reason.IO_ERROR, 1));
        assertThat(latch.verdict()).isEqualTo(Verdict.UNREADABLE);
        hearQuick(2, liveOk(2), freshUnasked(Check.QUICK, Reason.IO_ERROR, 2));
        assertThat(latch.verdict()).as("one of the two still fails").isEqualTo(Verdict.UNREADABLE);
        hearQuick(3, live(Answer.UNASKED, Reason.BUSY, 3), freshUnasked(Check.QUICK, Reason.BUSY, 3));
        assertThat(latch.verdict()).as("nobody has read anything").isEqualTo(Verdict.UNREADABLE);
        hearQuick(4, live(Answer.UNASKED, Reason.NO_CONNECTION, 4), freshOk(Check.QUICK, 4));
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void aHealthyLiveReadIsNotDemotedByWhateverCannotBeAsked() {
        for (Reason reason : Reason.values()) {
            hearQuick(1, liveOk(1), freshUnasked(Check.QUICK, reason, 1));
            hearFull(2, new Hearing(null, freshUnasked(Check.FULL, reason, 2), null, null));
            assertThat(latch.verdict()).as(reason.name()).isEqualTo(Verdict.HEALTHY);
        }
    }

    @Test
    void suspectIsForgottenWithTheNextCheck() {
        hearQuick(1, live(Answer.TRANSIENT, Reason.CORRUPT, 1), freshOk(Check.QUICK, 1));
        assertThat(latch.verdict()).isEqualTo(Verdict.SUSPECT);
        assertThat(latch.latched()).isFalse();
        healthyQuick(2);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    @Test
    void unverifiedIsHeldSinceTheLastAnswerAndEndsWithTheNext() {
        healthyQuick(10);
        look(41, Answer.OK, Reason.NONE);
        assertThat(latch.verdict()).isEqualTo(Verdict.UNVERIFIED);
        pulse(60);
        assertThat(latch.held())
                .singleElement()
                .satisfies(held -> assertThat(held.since()).isEqualTo(minute(10)));
        healthyQuick(61);
        assertThat(latch.verdict()).isEqualTo(Verdict.HEALTHY);
    }

    /** Incident 38. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void aClockThatJumpsADayNeitherLatchesNorReleasesNorAges(long days) {
        healthyQuick(1);
        hearQuick(2, live(Answer.UNASKED, Reason.NO_CONNECTION, 2), freshOk(Check.QUICK, 2));
        Moment jumped =
                new Moment(minute(3).at().plus(Duration.ofDays(days)), minute(3).nanos());
        said = said.withIdentity(identity(Answer.OK, Reason.NONE, 3));
        assertThat(latch.next(said, jumped)).isEqualTo(Latch.OPEN);

        hearQuick(4, liveBad(4), freshBad(Check.QUICK, 4));
        Moment later =
                new Moment(minute(5).at().plus(Duration.ofDays(days)), minute(5).nanos());
        Testimony full =
                new Testimony(Witness.FRESH, Check.FULL, Answer.OK, Reason.NONE, "ok", later, Duration.ofMillis(5));
        said = said.withFull(new Hearing(null, full, null, null));
        latch = latch.next(said, later);
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
        assertThat(later.since(latch.held().get(0).since())).isEqualTo(Duration.ofMinutes(1));

        Moment last = new Moment(minute(6).at(), minute(6).nanos());
        Testimony live =
                new Testimony(Witness.LIVE, Check.QUICK, Answer.OK, Reason.NONE, "ok", last, Duration.ofMillis(5));
        said = said.withQuick(quick(live, freshOk(Check.QUICK, 6)));
        latch = latch.next(said, last);
        assertThat(latch.verdict())
                .as("the order of things is that of the ticker")
                .isEqualTo(Verdict.HEALTHY);
    }

    private void damagedByQuickCheck() {
        hearQuick(1, liveBad(1), freshBad(Check.QUICK, 1));
        assertThat(latch.verdict()).isEqualTo(Verdict.DAMAGED);
    }

    private void healthyQuick(int minute) {
        hearQuick(minute, liveOk(minute), freshOk(Check.QUICK, minute));
    }

    private void hearQuick(int minute, Testimony live, Testimony fresh) {
        said = said.withQuick(quick(live, fresh));
        pulse(minute);
    }

    private void hearContent(int minute, Testimony content) {
        said = said.withQuick(new Hearing(liveOk(minute), freshOk(Check.QUICK, minute), null, content));
        pulse(minute);
    }

    private void hearFull(int minute, Hearing full) {
        said = said.withFull(full);
        pulse(minute);
    }

    private void look(int minute, Answer says, Reason reason) {
        said = said.withIdentity(identity(says, reason, minute));
        pulse(minute);
    }

    private void pulse(int minute) {
        latch = latch.next(said, minute(minute));
    }

    private List<Verdict> verdicts() {
        return latch.held().stream().map(held -> held.finding().verdict()).toList();
    }
}
