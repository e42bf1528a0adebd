package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Finding;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.monitor.AlarmLine.Occasion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AlarmTest {

    private static final Duration HALF_AN_HOUR = Duration.ofMinutes(30);

    private final FakeTime time = new FakeTime();
    private final Alarm alarm = new Alarm(HALF_AN_HOUR);
    private final Moment began = time.now();

    /** Incident 19. */
    @Test
    void theFirstFailureAnotherTextAndHalfAnHourLaterAreThreeLines() {
        List<AlarmLine> lines = new ArrayList<>();
        lines.addAll(alarm.listen(damaged("2nd reference to page 56933"), time.now()));
        time.pass(Duration.ofMinutes(10));
        lines.addAll(alarm.listen(damaged("Rowid 687194767425 out of order"), time.now()));
        time.pass(Duration.ofMinutes(31));
        lines.addAll(alarm.listen(damaged("Rowid 687194767425 out of order"), time.now()));
        assertThat(occasions(lines)).containsExactly(Occasion.FIRST, Occasion.CHANGED, Occasion.REPEATED);
    }

    /** Incident 20, as the watch lives through it: it listens every second. */
    @Test
    void oneTextForFourAndAHalfHoursIsTheFirstLineAndOneEachHalfHour() {
        List<Duration> spoken = new ArrayList<>();
        Moment start = time.now();
        for (int second = 0; second <= 270 * 60; second++) {
            if (!alarm.listen(damaged("the same"), time.now()).isEmpty()) {
                spoken.add(Duration.ofMinutes(time.now().since(start).toMinutes()));
            }
            time.pass(Duration.ofSeconds(1));
        }
        assertThat(spoken)
                .containsExactly(
                        Duration.ofMinutes(0),
                        Duration.ofMinutes(30),
                        Duration.ofMinutes(60),
                        Duration.ofMinutes(90),
                        Duration.ofMinutes(120),
                        Duration.ofMinutes(150),
                        Duration.ofMinutes(180),
                        Duration.ofMinutes(210),
                        Duration.ofMinutes(240),
                        Duration.ofMinutes(270));
    }

    @Test
    void eachSourceHasAThrottleOfItsOwn() {
        Held quick = held(Verdict.DAMAGED, Check.QUICK, true, "quick text");
        Held full = held(Verdict.DAMAGED, Check.FULL, true, "full text");
        assertThat(alarm.listen(new Latch(List.of(quick)), time.now())).hasSize(1);
        time.pass(Duration.ofMinutes(20));
        assertThat(occasions(alarm.listen(new Latch(List.of(quick, full)), time.now())))
                .containsExactly(Occasion.FIRST);
        time.pass(Duration.ofMinutes(11));
        assertThat(alarm.listen(new Latch(List.of(quick, full)), time.now()))
                .singleElement()
                .satisfies(line -> assertThat(line.held().finding().source()).isEqualTo(Check.QUICK));
        time.pass(Duration.ofMinutes(20));
        assertThat(alarm.listen(new Latch(List.of(quick, full)), time.now()))
                .singleElement()
                .satisfies(line -> assertThat(line.held().finding().source()).isEqualTo(Check.FULL));
    }

    @Test
    void aConfirmationIsNews() {
        Latch doubtful = new Latch(List.of(held(Verdict.DAMAGED, Check.QUICK, false, "same")));
        Latch certain = new Latch(List.of(held(Verdict.DAMAGED, Check.QUICK, true, "same")));
        alarm.listen(doubtful, time.now());
        assertThat(occasions(alarm.listen(certain, time.now()))).containsExactly(Occasion.CHANGED);
        assertThat(alarm.listen(certain, time.now())).isEmpty();
    }

    @Test
    void theEndIsToldOnceAndTheNextFailureIsAFirstOne() {
        alarm.listen(damaged("text"), time.now());
        assertThat(occasions(alarm.listen(Latch.OPEN, time.now()))).containsExactly(Occasion.RELEASED);
        assertThat(alarm.listen(Latch.OPEN, time.now())).isEmpty();
        assertThat(occasions(alarm.listen(damaged("text"), time.now()))).containsExactly(Occasion.FIRST);
    }

    @Test
    void silenceIsSpokenOfOnlyWhereNothingWorseIsKnown() {
        Held damaged = held(Verdict.DAMAGED, Check.QUICK, true, "text");
        Held unverified = held(Verdict.UNVERIFIED, Check.QUICK, true, "no check has come to an end");
        assertThat(occasions(alarm.listen(new Latch(List.of(damaged, unverified)), time.now())))
                .containsExactly(Occasion.FIRST);
        assertThat(alarm.listen(new Latch(List.of(unverified)), time.now()))
                .extracting(
                        line -> line.occasion() + " " + line.held().finding().verdict())
                .containsExactlyInAnyOrder("FIRST UNVERIFIED", "RELEASED DAMAGED");
        assertThat(alarm.listen(new Latch(List.of(damaged, unverified)), time.now()))
                .as("it has not ended because something worse was found")
                .extracting(
                        line -> line.occasion() + " " + line.held().finding().verdict())
                .containsExactly("FIRST DAMAGED");
        assertThat(alarm.listen(new Latch(List.of(damaged)), time.now()))
                .extracting(
                        line -> line.occasion() + " " + line.held().finding().verdict())
                .containsExactly("RELEASED UNVERIFIED");
    }

    @Test
    void aSuspicionIsNoAlarm() {
        Latch suspect = new Latch(List.of(held(Verdict.SUSPECT, Check.QUICK, true, "passed again")));
        assertThat(alarm.listen(suspect, time.now())).isEmpty();
        assertThat(alarm.listen(Latch.OPEN, time.now())).isEmpty();
    }

    @Test
    void aRecalledIncidentSpeaksAtOnceAndTellsItsEnd() {
        alarm.recall(damaged("from before"), time.now());
        assertThat(occasions(alarm.listen(damaged("from before"), time.now()))).containsExactly(Occasion.REPEATED);
        assertThat(alarm.listen(damaged("from before"), time.now())).isEmpty();
        assertThat(occasions(alarm.listen(Latch.OPEN, time.now()))).containsExactly(Occasion.RELEASED);
    }

    @Test
    void aRecalledIncidentThatIsOverTellsItsEndAtOnce() {
        alarm.recall(damaged("from before"), time.now());
        assertThat(occasions(alarm.listen(Latch.OPEN, time.now()))).containsExactly(Occasion.RELEASED);
    }

    /** Incident 38. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void aClockThatJumpsADayChangesNoThrottle(long days) {
        alarm.listen(damaged("text"), time.now());
        time.jump(Duration.ofDays(days));
        time.pass(Duration.ofMinutes(29));
        assertThat(alarm.listen(damaged("text"), time.now())).isEmpty();
        time.pass(Duration.ofMinutes(1));
        assertThat(alarm.listen(damaged("text"), time.now())).hasSize(1);
    }

    @Test
    void aLineIsCompleteInItself() {
        Held held = held(Verdict.DAMAGED, Check.QUICK, false, "row 5 missing from index i");
        time.pass(Duration.ofMinutes(90));
        AlarmLine line = new AlarmLine(time.instant(), Occasion.FIRST, held);
        assertThat(line.text("orders", Path.of("/data/orders.db"), time.now()))
                .startsWith("2026-03-01T13:30:00")
                .contains("DAMAGED", "[orders]", "since 2026-03-01T12:00:00", "PT1H30M", "quick check")
                .contains("not confirmed", "row 5 missing from index i", "/data/orders.db", "restore from a verified");
        AlarmLine end = new AlarmLine(time.instant(), Occasion.RELEASED, held);
        assertThat(end.text("orders", Path.of("/data/orders.db"), time.now()))
                .contains("DAMAGED is over", "[orders]", "PT1H30M", "/data/orders.db")
                .doesNotContain("what to do");
    }

    private Latch damaged(String text) {
        return new Latch(List.of(held(Verdict.DAMAGED, Check.QUICK, true, text)));
    }

    private Held held(Verdict verdict, Check source, boolean confirmed, String text) {
        return new Held(new Finding(verdict, source, confirmed, text, time.now()), began);
    }

    private static List<Occasion> occasions(List<AlarmLine> lines) {
        return lines.stream().map(AlarmLine::occasion).toList();
    }
}
