package io.github.sqlitehealth.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmark in small, with limits that a busy machine can keep. */
class MeasurementsTest {

    @TempDir
    Path folder;

    @Test
    void aSwapIsAVerdictSoon() throws SQLException, IOException, InterruptedException {
        assertThat(new Measurements(folder)
                        .fromSwapToVerdict(1, true)
                        .verdicts()
                        .quantile(1))
                .isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void thePollAloneFindsASwapToo() throws SQLException, IOException, InterruptedException {
        assertThat(new Measurements(folder)
                        .fromSwapToVerdict(1, false)
                        .verdicts()
                        .quantile(1))
                .isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void healthWaitsForNobody() throws SQLException, IOException, InterruptedException {
        assertThat(new Measurements(folder).healthUnderSiege(1_000).quantile(0.99))
                .isLessThan(Duration.ofMillis(10));
    }

    @Test
    void quantilesAreOfTheSortedValues() {
        Figures figures = new Figures(new long[] {5, 1, 4, 2, 3});

        assertThat(figures.quantile(0)).isEqualTo(Duration.ofNanos(1));
        assertThat(figures.quantile(0.5)).isEqualTo(Duration.ofNanos(3));
        assertThat(figures.quantile(0.99)).isEqualTo(Duration.ofNanos(5));
    }
}
