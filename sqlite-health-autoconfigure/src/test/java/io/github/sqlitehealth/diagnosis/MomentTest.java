package io.github.sqlitehealth.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MomentTest {

    private static final Moment NOW = new Moment(Speech.NOON, 1_000);

    @Test
    void whatAnEarlierProcessWroteDownIsAsOldAsTheClockSays() {
        Moment recalled = NOW.recall(Speech.NOON.minus(Duration.ofHours(3)));
        assertThat(recalled.at()).isEqualTo(Speech.NOON.minus(Duration.ofHours(3)));
        assertThat(NOW.since(recalled)).isEqualTo(Duration.ofHours(3));
        assertThat(NOW.isAfter(recalled)).isTrue();
    }

    @Test
    void itsAgeGoesOnByTheTickerWhateverTheClockDoes() {
        Moment recalled = NOW.recall(Speech.NOON.minus(Duration.ofHours(3)));
        Moment later = new Moment(
                Speech.NOON.minus(Duration.ofDays(1)),
                1_000 + Duration.ofMinutes(5).toNanos());
        assertThat(later.since(recalled)).isEqualTo(Duration.ofHours(3).plusMinutes(5));
    }

    @Test
    void aMomentFromTheFutureHasJustHappened() {
        Moment recalled = NOW.recall(Speech.NOON.plus(Duration.ofDays(1)));
        assertThat(NOW.since(recalled)).isEqualTo(Duration.ZERO);
        assertThat(recalled.at()).as("it is still told as it was written down").isEqualTo("2026-03-02T12:00:00Z");
        assertThat(new Moment(Speech.NOON, 1_001).isAfter(recalled)).isTrue();
    }

    @Test
    void aTickerThatWrapsAroundIsStillMonotonic() {
        Moment before = new Moment(Speech.NOON, Long.MAX_VALUE - 5);
        Moment after = new Moment(Speech.NOON, Long.MIN_VALUE + 5);
        assertThat(after.isAfter(before)).isTrue();
        assertThat(before.isAfter(after)).isFalse();
        assertThat(after.since(before)).isEqualTo(Duration.ofNanos(11));
    }
}
