package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What nobody was there to see, and what the application's own connection cannot see. */
class UnseenTest {

    @TempDir
    Path folder;

    /** Incident 5. */
    @Test
    void aSwapBeforeTheMonitorStartedIsNamedAtTheFirstLook() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        try (HikariDataSource pool = Db.pool(file, 2)) {
            Db.execute(pool, "INSERT INTO t(body) VALUES ('before')");
            Files.delete(Path.of(file + "-wal"));
            Files.delete(Path.of(file + "-shm"));
            Apps.observed().withBean("ds", DataSource.class, () -> pool).run(context -> {
                WatchedDatabase database = Apps.watched(context, "ds");
                Evidence.awaitVerdict(context, "ds", Verdict.STRANDED, Evidence.LIMIT);
                assertThat(database.state().said().identity().text()).contains("wal: inode", "shm: inode");
                JsonNode snapshot = Evidence.assertNamed(context, "ds", Verdict.STRANDED);
                assertThat(Evidence.descriptors(snapshot))
                        .filteredOn(descriptor -> descriptor.path("stale").asBoolean())
                        .extracting(descriptor -> descriptor.path("file").asString(""))
                        .contains("wal", "shm");
            });
        }
    }

    /** Incident 7. */
    @Test
    void damageUnderAConnectionThatHasEveryPageInItsCacheIsFoundByFreshOnes() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.observed()
                .withPropertyValues("sqlite.health.quick-check.interval=1h")
                .withBean("ds", DataSource.class, () -> Db.pool(file, 1))
                .run(context -> {
                    Db.execute(context.getBean(DataSource.class), "PRAGMA quick_check");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                    damage(file);

                    MonitorState state = database.check(Check.FULL).get(20, TimeUnit.SECONDS);

                    assertThat(state.verdict()).isEqualTo(Verdict.DAMAGED);
                    assertThat(state.latch().held().get(0).finding().confirmed())
                            .isTrue();
                    assertThat(state.latch().held().get(0).finding().source()).isEqualTo(Check.FULL);
                    assertThat(state.testimonies().get(Witness.LIVE).says()).isEqualTo(Answer.OK);
                    Evidence.assertNamed(context, "ds", Verdict.DAMAGED);
                    assertThat(Evidence.health(context, "ds").getDetails()).containsEntry("confirmed", true);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("sqlite.health.check")
                                    .tags("check", "full", "witness", "fresh", "answer", "BAD")
                                    .timer()
                                    .count())
                            .as("two fresh connections")
                            .isEqualTo(2);
                });
    }

    private static void damage(Path file) throws Exception {
        Process dd = new ProcessBuilder(
                        "dd", "if=/dev/urandom", "of=" + file, "bs=4096", "seek=2", "count=1", "conv=notrunc")
                .redirectErrorStream(true)
                .start();
        assertThat(dd.waitFor()).isZero();
    }
}
