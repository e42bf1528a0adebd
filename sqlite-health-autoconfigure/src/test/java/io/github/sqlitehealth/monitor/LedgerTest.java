package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.fixture.Scripted;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.witness.Look;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LedgerTest {

    private static final Path FILE = Path.of("/data/app.db");
    private static final Look NOTHING = new Look(Map.of(), List.of(), true, null);

    private final FakeTime time = new FakeTime();

    /** The watch goes on while a second opinion is being asked, and must not end what has just begun. */
    @Test
    void anIncidentOutlivesTheLooksBetweenItsFirstBadReadAndItsVerdict() {
        Ledger ledger = ledger(Optional.empty());
        Testimony bad = live(Answer.BAD, Reason.CORRUPT);
        ledger.begin(bad.at());
        Incident begun = Objects.requireNonNull(ledger.state().incident());
        assertThat(begun.since()).isEqualTo(bad.at().at());
        ledger.pulse(time.now());
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        assertThat(ledger.state().incident()).isEqualTo(begun);
        ledger.heardQuick(new Hearing(bad, fresh(Answer.OK), null, null), null, time.now());
        assertThat(Objects.requireNonNull(ledger.state().incident()).id()).isEqualTo(begun.id());
    }

    @Test
    void anIncidentThatComesToNoVerdictWasAFalseStart() {
        Ledger ledger = ledger(Optional.empty());
        ledger.begin(time.now());
        ledger.heardQuick(new Hearing(live(Answer.OK, Reason.NONE), fresh(Answer.OK), null, null), null, time.now());
        assertThat(ledger.state().incident()).isNull();
        assertThat(ledger.state().incidents()).isEmpty();
    }

    @Test
    void theVerdictsOfAnIncidentAreListedInTheOrderInWhichTheyCame() {
        Ledger ledger = ledger(Optional.empty());
        Testimony bad = live(Answer.BAD, Reason.CORRUPT);
        ledger.heardQuick(new Hearing(bad, fresh(Answer.OK), null, null), null, time.now());
        ledger.heardQuick(
                new Hearing(live(Answer.BAD, Reason.CORRUPT), fresh(Answer.BAD), null, null), null, time.now());
        assertThat(Objects.requireNonNull(ledger.state().incident()).verdicts())
                .containsExactly("CONNECTION_CONFUSED", "DAMAGED");
    }

    @Test
    void aRecalledIncidentGoesOnWithItsClockBeforeAnybodyHasLooked() {
        Ledger ledger = ledger(Optional.of(remembered(time.instant().minus(Duration.ofHours(5)))));
        assertThat(ledger.state().verdict()).isEqualTo(Verdict.DAMAGED);
        assertThat(Objects.requireNonNull(ledger.state().incident()).id()).isEqualTo("incident-1");
        assertThat(ledger.state().counts().transients()).isEqualTo(7);
        Change change = ledger.pulse(time.now());
        assertThat(change.lines())
                .singleElement()
                .satisfies(line -> assertThat(line.occasion()).isEqualTo(AlarmLine.Occasion.REPEATED));
        assertThat(change.found()).as("it is no news").isEmpty();
        assertThat(MonitorState.latchedFor(ledger.state().latch(), time.now()).toHours())
                .isEqualTo(5);
        ledger.heardQuick(new Hearing(live(Answer.OK, Reason.NONE), fresh(Answer.OK), null, null), null, time.now());
        assertThat(ledger.state().verdict()).isEqualTo(Verdict.DAMAGED);
    }

    @Test
    void aRecalledIncidentFromTheFutureHasJustBegun() {
        Ledger ledger = ledger(Optional.of(remembered(time.instant().plus(Duration.ofDays(1)))));
        ledger.pulse(time.now());
        assertThat(ledger.state().verdict()).isEqualTo(Verdict.DAMAGED);
        assertThat(MonitorState.latchedFor(ledger.state().latch(), time.now()))
                .isBetween(Duration.ZERO, Duration.ofSeconds(1));
    }

    @Test
    void theListOfIncidentsIsBoundedAndKeepsTheNewest() {
        Ledger ledger = ledger(Optional.empty());
        for (int incident = 0; incident < 55; incident++) {
            time.pass(Duration.ofMinutes(1));
            Testimony bad = live(Answer.BAD, Reason.CORRUPT);
            ledger.heardQuick(new Hearing(bad, fresh(Answer.OK), null, null), null, time.now());
            Testimony ok = live(Answer.OK, Reason.NONE);
            ledger.heardQuick(new Hearing(ok, fresh(Answer.OK), null, null), null, time.now());
        }
        assertThat(ledger.state().incidents()).hasSize(50).isSortedAccordingTo(Comparator.comparing(Incident::since));
        assertThat(ledger.state().incidents().get(49).since())
                .isAfter(time.instant().minusSeconds(5));
        assertThat(ledger.state().incident()).isNull();
    }

    @Test
    void aReaderNeverSeesAStateChange() {
        Ledger ledger = ledger(Optional.empty());
        MonitorState before = ledger.state();
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        assertThat(before.ticks()).isEmpty();
        assertThat(ledger.state().ticks()).containsOnlyKeys(Check.IDENTITY);
    }

    @Test
    void aLookThatFindsWhatTheOneBeforeFoundIsWrittenDownForWhoeverReadsNext() {
        Ledger ledger = ledger(Optional.empty());
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        Moment first = ledger.state().ticks().get(Check.IDENTITY);
        MonitorState read = ledger.state();
        time.pass(Duration.ofSeconds(1));
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING)).isTrue();
        assertThat(ledger.state().ticks().get(Check.IDENTITY).since(first))
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(ledger.state().said().identity().at().since(first))
                .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(read.ticks().get(Check.IDENTITY)).isEqualTo(first);
    }

    @Test
    void newsAfterAQuietLookIsStillNews() {
        Ledger ledger = ledger(Optional.empty());
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING)).isTrue();
        Change change = ledger.heardQuick(
                new Hearing(live(Answer.TRANSIENT, Reason.CORRUPT), fresh(Answer.OK), null, null), null, time.now());
        assertThat(change.before().counts().transients()).isZero();
        assertThat(change.worthKeeping()).isTrue();
    }

    @Test
    void aLookAfterWhichMoreThanTheTimeHasChangedIsNoQuietOne() {
        Ledger ledger = ledger(Optional.empty());
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING))
                .as("the first one")
                .isFalse();
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        assertThat(ledger.lookedAgain(
                        said(Witness.IDENTITY, Check.IDENTITY, Answer.BAD, Reason.STALE_FILES), locks(), NOTHING))
                .isFalse();
        assertThat(ledger.lookedAgain(
                        identity(), said(Witness.LOCKS, Check.IDENTITY, Answer.BAD, Reason.LOCKS_GONE), NOTHING))
                .isFalse();
        Testimony bad = live(Answer.BAD, Reason.CORRUPT);
        ledger.begin(bad.at());
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING))
                .as("an incident has begun")
                .isFalse();
        ledger.heardQuick(new Hearing(bad, fresh(Answer.BAD), null, null), null, time.now());
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING))
                .as("something holds")
                .isFalse();
    }

    @Test
    void silenceIsNotHiddenByQuietLooks() {
        Ledger ledger = ledger(Optional.empty());
        ledger.looked(identity(), locks(), NOTHING, Map.of(), time.now());
        time.pass(Duration.ofMinutes(31));
        assertThat(ledger.lookedAgain(identity(), locks(), NOTHING)).isFalse();
        assertThat(ledger.isDue(time.now())).isTrue();
        assertThat(ledger.pulse(time.now()).after().verdict()).isEqualTo(Verdict.UNVERIFIED);
    }

    private Remembered remembered(java.time.Instant since) {
        return new Remembered(
                FILE.toString(),
                new Incident("incident-1", since, null, List.of("DAMAGED")),
                List.of(new RememberedFinding(Verdict.DAMAGED, Check.QUICK, true, "text", since)),
                List.of(),
                null,
                7,
                null);
    }

    private Ledger ledger(Optional<Remembered> memory) {
        Moment now = time.now();
        return new Ledger(
                new Database("db", FILE, false, "3", null, mayGrow -> new Scripted()),
                Recalled.of(memory, now),
                Duration.ofMinutes(30),
                Duration.ofMinutes(30),
                now);
    }

    private Testimony live(Answer says, Reason reason) {
        return said(Witness.LIVE, Check.QUICK, says, reason);
    }

    private Testimony fresh(Answer says) {
        return said(Witness.FRESH, Check.QUICK, says, says == Answer.BAD ? Reason.CORRUPT : Reason.NONE);
    }

    private Testimony identity() {
        return said(Witness.IDENTITY, Check.IDENTITY, Answer.OK, Reason.NONE);
    }

    private Testimony locks() {
        return said(Witness.LOCKS, Check.IDENTITY, Answer.OK, Reason.NONE);
    }

    private Testimony said(Witness witness, Check check, Answer says, @Nullable Reason reason) {
        return new Testimony(witness, check, says, Objects.requireNonNull(reason), "text", time.now(), Duration.ZERO);
    }
}
