package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S,      PT1S, PT1S",
        "PT0.0001S, PT1S, PT1S",
        "PT0.007S,  PT1S, PT1S",
        "PT0.014S,  PT1S, PT2S",
        "PT0.4S,    PT1S, PT3S",
        "PT0.014S,  PT5S, PT5S"
    })
    void aSweepThatTakesMoreThanItsShareOfTheTimeComesLessOften(Duration took, Duration interval, Duration pause) {
        assertThat(Watch.pause(took.toNanos(), interval.toNanos())).isEqualTo(pause.toNanos());
    }
}
