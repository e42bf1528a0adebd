package io.github.sqlitehealth.benchmark;

import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the library promises to be quick at, measured on real files. */
final class Measurements {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Path folder;
    private final Random random = new Random(20_260_715);

    /** @param folder on a disk as the databases of an application are */
    Measurements(Path folder) {
        this.folder = folder;
    }

    /**
     * From the removal of -wal and -shm to the verdict that the health indicator gives, each time in a new application
     * with a new database.
     */
    Swaps fromSwapToVerdict(int swaps, boolean events) throws SQLException, IOException, InterruptedException {
        long[] nanos = new long[swaps];
        long[] idle = new long[swaps];
        for (int i = 0; i < swaps; i++) {
            Path database = Files.createDirectory(folder.resolve("swap-" + events + "-" + i))
                    .resolve("app.db");
            try (WatchedApplication application =
                    WatchedApplication.start(database, "sqlite.health.identity-watch.events=" + events)) {
                nanos[i] = fromSwapToVerdict(application);
                idle[i] = asleep();
            }
        }
        return new Swaps(new Figures(nanos), new Figures(idle));
    }

    /**
     * What was measured.
     *
     * @param verdicts from swap to verdict
     * @param machine how long the pauses that a verdict by file event contains take on this machine alone, each measured
     *     right after a verdict: a busy machine is late for both
     */
    record Swaps(Figures verdicts, Figures machine) {}

    private static long asleep() throws InterruptedException {
        long start = System.nanoTime();
        Thread.sleep(20);
        Thread.sleep(50);
        return System.nanoTime() - start;
    }

    private long fromSwapToVerdict(WatchedApplication application)
            throws SQLException, IOException, InterruptedException {
        // A sweep registers the directory; and a swap may come at any point between two sweeps.
        Thread.sleep(1_200 + random.nextInt(1_000));
        application.write();
        long start = System.nanoTime();
        Files.delete(application.sidecar("-wal"));
        Files.delete(application.sidecar("-shm"));
        while (!"STRANDED".equals(application.verdict())) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("No verdict after " + PATIENCE + ": " + application.health());
            }
            LockSupport.parkNanos(200_000);
        }
        return System.nanoTime() - start;
    }

    /** The health indicator, while all connections are taken and another process holds the write lock. */
    Figures healthUnderSiege(int calls) throws SQLException, IOException, InterruptedException {
        Path database = Files.createTempDirectory(folder, "siege-").resolve("app.db");
        try (WatchedApplication application = WatchedApplication.start(
                        database,
                        "sqlite.health.quick-check.initial-delay=0s",
                        "sqlite.health.quick-check.interval=50ms");
                OtherProcess other = OtherProcess.lock(database);
                Connection first = application.pool().getConnection();
                Connection second = application.pool().getConnection()) {
            for (int i = 0; i < 20_000; i++) {
                application.health();
            }
            long[] nanos = new long[calls];
            for (int i = 0; i < calls; i++) {
                long start = System.nanoTime();
                application.health();
                nanos[i] = System.nanoTime() - start;
            }
            if (!other.isAlive() || first.isClosed() || second.isClosed()) {
                throw new AssertionError("The siege was lifted before its end");
            }
            return new Figures(nanos);
        }
    }

    /** What the watch of one database costs while nothing happens, with all defaults. */
    String costOfIdling(Duration time) throws SQLException, IOException, InterruptedException {
        Path database = Files.createTempDirectory(folder, "idle-").resolve("app.db");
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (WatchedApplication application = WatchedApplication.start(database)) {
            // After the first check and what the compiler has to do for it.
            Thread.sleep(12_000);
            long cpuBefore = cpu(threads);
            Timer looks = application
                    .meters()
                    .get("sqlite.health.check")
                    .tag("witness", "identity")
                    .timer();
            long before = looks.count();
            double tookBefore = looks.totalTime(TimeUnit.MICROSECONDS);
            long start = System.nanoTime();
            Thread.sleep(time.toMillis());
            long wall = System.nanoTime() - start;
            long cpu = cpu(threads) - cpuBefore;
            long sweeps = looks.count() - before;
            double took = looks.totalTime(TimeUnit.MICROSECONDS) - tookBefore;
            return String.format(
                    java.util.Locale.ROOT,
                    "%d sweeps of 1 database in %.0f s: %.0f µs each; CPU of all threads of the library %.1f ms,"
                            + " %.3f %% of one core, %.0f µs a sweep (%s)",
                    sweeps,
                    wall / 1e9,
                    took / sweeps,
                    cpu / 1e6,
                    100.0 * cpu / wall,
                    cpu / 1e3 / sweeps,
                    WatchedApplication.threadNames());
        }
    }

    private static long cpu(ThreadMXBean threads) {
        return Arrays.stream(WatchedApplication.threads())
                .map(threads::getThreadCpuTime)
                .sum();
    }
}
