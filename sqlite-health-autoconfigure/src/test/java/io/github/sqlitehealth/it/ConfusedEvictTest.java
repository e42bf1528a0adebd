package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.sqlite.SQLiteConnection;

/** Incident 9 with {@code confused.evict}: connections that are wrong about a healthy file are replaced. */
class ConfusedEvictTest {

    private static final String COUNT = "SELECT count(*), max(body) FROM t";

    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void database() throws Exception {
        file = Outside.database(temporary.toRealPath().resolve("app.db"), 500);
    }

    @Test
    void theConnectionsAreReplacedAfterTheSnapshotAndTheNextCheckIsHealthy() throws Exception {
        app().run(context -> {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            WatchedDatabase database = confused(context, pool);
            SQLiteConnection before = driver(pool);

            database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            assertThat(database.state().verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
            assertThat(database.state().snapshots())
                    .anyMatch(snapshot -> snapshot.verdict().equals("CONNECTION_CONFUSED"));
            Db.execute(pool, COUNT);
            assertThat(driver(pool)).isNotSameAs(before);
            assertThat(before.isClosed()).isTrue();

            database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
        });
    }

    /** A new connection of a stranded process would fail every statement. */
    @Test
    void aStrandedPoolIsNeverReplaced() throws Exception {
        app().run(context -> {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            WatchedDatabase database = confused(context, pool);
            Files.delete(Path.of(file + "-wal"));
            Files.delete(Path.of(file + "-shm"));
            Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
            SQLiteConnection before = driver(pool);
            for (int i = 0; i < 3; i++) {
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            }
            await().during(Duration.ofMillis(500)).until(() -> driver(pool) == before);
        });
    }

    private ApplicationContextRunner app() {
        return Apps.runner()
                .withBean("ds", HikariDataSource.class, () -> Db.pool(file, 1))
                .withPropertyValues(
                        "sqlite.health.confused.evict=true",
                        "sqlite.health.startup.check=none",
                        "sqlite.health.quick-check.interval=1h");
    }

    /** Lets the only connection read a damaged page, which is healed afterwards. */
    private WatchedDatabase confused(org.springframework.context.ApplicationContext context, HikariDataSource pool)
            throws Exception {
        Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
        WatchedDatabase database = Apps.watched(context, "ds");
        Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        // The last leaf, which none but the full scan reads.
        Outside.sh("cp \"$1\" \"$1.copy\"", file);
        Path copy = Path.of(file + ".copy");
        String page = Outside.sqlite3(copy, "SELECT rootpage FROM sqlite_schema WHERE name = 't'");
        int number = Integer.parseInt(page) + 5;
        // A statement that could be prepared before needs no other page of the file.
        Outside.overwrite(file, number);
        Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('so that caches are dropped')");
        assertThatThrownBy(() -> count(pool)).hasMessageContaining("CORRUPT");
        Outside.sh(
                "dd if=\"$2\" of=\"$1\" bs=4096 skip=$3 seek=$3 count=1 conv=notrunc status=none",
                file,
                copy,
                number - 1);
        assertThatThrownBy(() -> count(pool)).as("it remembers").hasMessageContaining("CORRUPT");
        return database;
    }

    /** Past the pool: an error that it sees makes the monitor look at once, and there is damage to be seen before the end. */
    private static void count(HikariDataSource pool) throws Exception {
        try (Statement statement = driver(pool).createStatement()) {
            statement.executeQuery(COUNT).close();
        }
    }

    private static SQLiteConnection driver(HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection()) {
            return connection.unwrap(SQLiteConnection.class);
        }
    }
}
