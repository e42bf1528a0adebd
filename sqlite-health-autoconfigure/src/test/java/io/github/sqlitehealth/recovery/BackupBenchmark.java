package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.fixture.Outside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a backup of 1 GB takes, and what it takes away from those who write. Run by name; it prints its figures. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackupBenchmark {

    private static final int PAIRS = 3;
    private static final int WRITERS = 2;

    private Path folder;
    private Path source;

    @BeforeAll
    void gigabyte(@TempDir Path folder) throws Exception {
        this.folder = folder;
        source = folder.resolve("app.db");
        Outside.sqlite3(
                source,
                "PRAGMA journal_mode=WAL; CREATE TABLE w(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);"
                        + "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT);"
                        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
                        + " INSERT INTO t(body) SELECT hex(randomblob(500)) FROM n;"
                        + "PRAGMA wal_checkpoint(TRUNCATE)");
        say("the database has %,d bytes", Files.size(source));
    }

    @Test
    void copyingTakesNoLongerThanTheCommandLineDoes() throws Exception {
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        for (int pair = 0; pair < PAIRS; pair++) {
            ours.add(seconds(this::copy));
            theirs.add(seconds(this::commandLine));
        }
        double ratio = median(ours) / median(theirs);
        say(
                "nobody writes: copy %.2f s (%s), sqlite3 .backup %.2f s (%s), ratio %.2f",
                median(ours), ours, median(theirs), theirs, ratio);
        say("nobody writes: with the check of the copy %.2f s", seconds(() -> new Taking(source).now()));
        assertThat(ratio).isLessThan(1.5);
    }

    @Test
    void writersKeepTheirPaceAndNeverFail() throws Exception {
        try (Writers writers = new Writers(source, WRITERS, Duration.ofSeconds(3), Duration.ofMillis(2))) {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
            List<Double> ratios = new ArrayList<>();
            int busyDuring = 0;
            for (int pair = 0; pair < PAIRS; pair++) {
                double before = pace(writers, () -> LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(10)));
                int failedBefore = writers.failures.size();
                double[] took = new double[1];
                double during = pace(writers, () -> took[0] = seconds(() -> new Taking(source).now()));
                busyDuring += writers.failures.size() - failedBefore;
                double after = pace(writers, () -> LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(10)));
                ratios.add(during / ((before + after) / 2));
                say(
                        "rows a second: before %.0f, during a backup of %.1f s %.0f, after %.0f",
                        before, took[0], during, after);
            }
            int busyWithout = writers.failures.size() - busyDuring;
            say(
                    "%d writers keep %.0f %% of their pace (%s); SQLITE_BUSY during backups %d, at other times %d",
                    WRITERS, 100 * median(ratios), ratios, busyDuring, busyWithout);
            say("while they write: copy %.2f s", seconds(this::copy));
            Process cli =
                    new ProcessBuilder("sqlite3", source.toString(), ".backup " + folder.resolve("cli.db")).start();
            long start = System.nanoTime();
            boolean ended = cli.waitFor(60, TimeUnit.SECONDS);
            cli.destroyForcibly().onExit().join();
            say(
                    "while they write: sqlite3 .backup %s",
                    ended
                            ? "%.2f s, code %d".formatted((System.nanoTime() - start) / 1e9, cli.exitValue())
                            : "has not come to an end within 60 s");
            assertThat(busyDuring).isZero();
            assertThat(median(ratios)).isGreaterThanOrEqualTo(0.9);
        }
    }

    private void copy() throws Exception {
        Path to = folder.resolve("copy.db");
        Files.deleteIfExists(to);
        Taking taking = new Taking(source);
        new OnlineCopy(Clock.systemUTC()).copy(taking.request(), to);
        DurableFiles.force(to);
    }

    private void commandLine() throws Exception {
        Path to = folder.resolve("cli.db");
        Files.deleteIfExists(to);
        Outside.run("sqlite3", source.toString(), ".backup " + to);
    }

    private interface Work {
        void run() throws Exception;
    }

    private static double seconds(Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        return Math.round((System.nanoTime() - start) / 1e7) / 100.0;
    }

    private static double pace(Writers writers, Work work) throws Exception {
        long before = writers.acknowledged.get();
        long start = System.nanoTime();
        work.run();
        return (writers.acknowledged.get() - before) / ((System.nanoTime() - start) / 1e9);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void say(String text, Object... values) {
        System.out.println("BENCHMARK " + text.formatted(values));
    }
}
