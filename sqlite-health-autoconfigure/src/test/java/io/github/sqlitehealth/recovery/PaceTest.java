package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The part of a core that work takes: what else runs on a machine can only make it smaller. */
class PaceTest {

    private static final long WORK_NANOS = Duration.ofMillis(300).toNanos();

    private interface Work {
        void run() throws Exception;
    }

    @Test
    void whoIsGentleRestsTwiceAsLongAsHeWorks() throws Exception {
        assertThat(share(() -> work(Pace.gentle()))).isLessThan(0.45);
    }

    @Test
    void aBackupLeavesRoomForWriters(@TempDir Path folder) throws Exception {
        Path source = source(folder);
        assertThat(share(() -> new Taking(source).now())).isLessThan(0.8);
    }

    @Test
    void aCheckOfPagesStopsForWhoeverWantsToRestInBetween(@TempDir Path folder) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Duration limit = Duration.ofMinutes(1);
        assertThat(FreshWitness.ofUnused(source(folder), Timepiece.system(), calls::incrementAndGet)
                        .ask(Check.FULL, limit, limit)
                        .testimony()
                        .ok())
                .isTrue();
        assertThat(calls.get()).isGreaterThan(20);
    }

    private static Path source(Path folder) throws Exception {
        Path source = folder.resolve("app.db");
        Outside.sqlite3(
                source,
                "PRAGMA journal_mode=WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT);"
                        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)"
                        + " INSERT INTO t(body) SELECT hex(randomblob(500)) FROM n;");
        return source;
    }

    private static void work(Pace pace) {
        long cpu = cpu();
        while (cpu() - cpu < WORK_NANOS) {
            pace.restAWhile();
        }
    }

    private static double share(Work work) throws Exception {
        long start = System.nanoTime();
        long cpu = cpu();
        work.run();
        return (double) (cpu() - cpu) / (System.nanoTime() - start);
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
