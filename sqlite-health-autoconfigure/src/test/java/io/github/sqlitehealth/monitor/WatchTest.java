package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchTest {

    @ParameterizedTest
    @CsvSource({
        "99,   PT0.4S,    PT1S, PT1S",
        "1000, PT0S,      PT1S, PT1S",
        "1000, PT0.0001S, PT1S, PT1S",
        "1000, PT0.007S,  PT1S, PT1S",
        "1000, PT0.014S,  PT1S, PT2S",
        "1000, PT0.4S,    PT1S, PT3S",
        "1000, PT0.014S,  PT5S, PT5S"
    })
    void aSweepOfManyThatTakesMoreThanItsShareOfTheTimeComesLessOften(
            int databases, Duration took, Duration interval, Duration pause) {
        assertThat(Watch.pause(databases, took.toNanos(), interval.toNanos())).isEqualTo(pause.toNanos());
    }
}
