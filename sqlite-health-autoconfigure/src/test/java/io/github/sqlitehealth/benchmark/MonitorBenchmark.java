package io.github.sqlitehealth.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints figures and judges none: they depend on the machine. Its name keeps it out of the build; the README tells how
 * to run it.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class MonitorBenchmark {

    @TempDir
    Path folder;

    /** It has its JVM for itself: in that of the tests this would silence the log that others read. */
    @BeforeAll
    static void printNothingElse() {
        System.setProperty("logging.level.root", "off");
    }

    @Test
    void a_fromSwapToVerdict() throws SQLException, IOException, InterruptedException {
        Measurements measurements = new Measurements(folder);
        print(Figures.HEAD);
        Measurements.Swaps swaps = measurements.fromSwapToVerdict(100, true);
        print(swaps.verdicts().line("rm of -wal and -shm to verdict, file events", Duration.ofMillis(100)));
        print(swaps.machine().line("  the pauses of 20 and 50 ms in it, on their own", null));
        swaps = measurements.fromSwapToVerdict(100, false);
        print(swaps.verdicts().line("rm of -wal and -shm to verdict, poll alone", Duration.ofMillis(1_200)));
    }

    @Test
    void b_healthUnderSiege() throws SQLException, IOException, InterruptedException {
        print(new Measurements(folder)
                .healthUnderSiege(100_000)
                .line("health(), pool exhausted, database locked", Duration.ofMillis(1)));
    }

    @Test
    void c_costOfIdling() throws SQLException, IOException, InterruptedException {
        print(new Measurements(folder).costOfIdling(Duration.ofSeconds(30)));
    }

    private static void print(String line) {
        System.out.println(line);
    }
}
