package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ApplicationListener;

/** The application hears of every change of a verdict, the good news included. */
class VerdictEventsTest {

    @TempDir
    Path temporary;

    @Test
    void everyChangeOfAVerdictIsAnEventAndTheEventsMakeAChain() throws Exception {
        Path file = Db.wal(temporary.toRealPath().resolve("app.db"));
        Listener listener = new Listener();
        Apps.runner()
                .withBean("ds", HikariDataSource.class, () -> Db.pool(file, 2))
                .withBean(Listener.class, () -> listener)
                // The anchor would hold on to the lost files: they may be all that is left of the last rows.
                .withPropertyValues("sqlite.health.anchor.enabled=false")
                .run(context -> {
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    pool.setMinimumIdle(0);
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                    Apps.checked(context, "ds");
                    assertThat(listener.events).isEmpty();
                    Files.delete(Path.of(file + "-shm"));
                    Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                    await().until(() -> listener.events.size() == 1);
                    pool.getHikariPoolMXBean().softEvictConnections();
                    Apps.awaitVerdict(context, "ds", Verdict.HEALTHY);
                    await().until(() -> listener.events.size() == 2);
                });
        SqliteVerdictChangedEvent first = listener.events.get(0);
        assertThat(first.getDatabase()).isEqualTo("ds");
        assertThat(first.getFile()).isEqualTo(file.toString());
        assertThat(first.getBefore()).isEqualTo(Verdict.HEALTHY);
        assertThat(first.getAfter()).isEqualTo(Verdict.STRANDED);
        assertThat(first.getAt()).isBetween(Instant.now().minusSeconds(60), Instant.now());
        assertThat(listener.events.get(1).getBefore()).isEqualTo(Verdict.STRANDED);
        assertThat(listener.events.get(1).getAfter()).isEqualTo(Verdict.HEALTHY);
        assertThat(listener.events).hasSize(2);
    }

    private static final class Listener implements ApplicationListener<SqliteVerdictChangedEvent> {

        final List<SqliteVerdictChangedEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void onApplicationEvent(SqliteVerdictChangedEvent event) {
            events.add(event);
        }
    }
}
