package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Search indexes that no longer agree with the table they were made from. */
class DerivedIndexTest {

    @TempDir
    Path temporary;

    @Test
    void aTableThatChangedBehindItsIndexIsAHazardUntilTheIndexIsRebuilt() throws Exception {
        app(Db.wal(temporary.toRealPath().resolve("app.db"))).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            WatchedDatabase database = prepared(context, pool);
            assertThat(drift(database)).isFalse();

            Db.execute(pool, "UPDATE t SET body = 'something else' WHERE id = 7");
            full(database);
            assertThat(drift(database)).isTrue();
            assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);

            Db.execute(pool, "INSERT INTO f(f) VALUES ('rebuild')");
            full(database);
            assertThat(drift(database)).isFalse();
        });
    }

    @Test
    void theQuestionLeavesNoLockNoChangeAndNoTransaction() throws Exception {
        Path file = Db.wal(temporary.toRealPath().resolve("app.db"));
        app(file).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            WatchedDatabase database = prepared(context, pool);
            try (Connection outside = DriverManager.getConnection(Db.url(file));
                    Statement statement = outside.createStatement()) {
                long before = number(statement, "PRAGMA data_version");
                full(database);
                assertThat(number(statement, "PRAGMA data_version")).isEqualTo(before);
                // Had anybody kept the write lock, this would have to wait for it.
                statement.execute("PRAGMA busy_timeout=0");
                statement.execute("BEGIN IMMEDIATE");
                statement.execute("ROLLBACK");
            }
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(connection.getAutoCommit()).isTrue();
                // It would be refused within a transaction.
                statement.execute("BEGIN");
                statement.execute("ROLLBACK");
            }
        });
    }

    @Test
    void aWriterBesideItIsNeverBusy() throws Exception {
        for (boolean wal : new boolean[] {true, false}) {
            Path folder = temporary.toRealPath();
            Path file = wal ? Db.wal(folder.resolve("wal.db")) : Db.rollback(folder.resolve("rollback.db"));
            app(file).run(context -> {
                DataSource pool = context.getBean(DataSource.class);
                WatchedDatabase database = prepared(context, pool);
                AtomicBoolean enough = new AtomicBoolean();
                AtomicLong written = new AtomicLong();
                CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                    while (!enough.get()) {
                        try {
                            Db.execute(pool, "INSERT INTO other VALUES (1)");
                            written.incrementAndGet();
                        } catch (SQLException ex) {
                            throw new IllegalStateException(ex);
                        }
                    }
                });
                for (int i = 0; i < 3; i++) {
                    full(database);
                }
                enough.set(true);
                writer.get(20, TimeUnit.SECONDS);
                assertThat(written).hasPositiveValue();
                assertThat(database.applicationErrors()).isEmpty();
            });
        }
    }

    private static ApplicationContextRunner app(Path file) {
        return Apps.runner()
                .withBean("ds", DataSource.class, () -> Db.pool(file, 3))
                .withPropertyValues(
                        "sqlite.health.full-check.derived-indexes=f", "sqlite.health.quick-check.interval=1h");
    }

    private static WatchedDatabase prepared(org.springframework.context.ApplicationContext context, DataSource pool)
            throws Exception {
        Db.execute(
                pool,
                "CREATE TABLE other(x)",
                "CREATE VIRTUAL TABLE f USING fts5(body, content='t', content_rowid='id')",
                "INSERT INTO f(f) VALUES ('rebuild')");
        WatchedDatabase database = Apps.checked(context, "ds");
        full(database);
        return database;
    }

    private static void full(WatchedDatabase database) throws Exception {
        database.check(Check.FULL).get(20, TimeUnit.SECONDS);
    }

    private static boolean drift(WatchedDatabase database) {
        return database.state().hazards().stream()
                .anyMatch(hazard -> hazard.name().equals(HazardKind.INDEX_DRIFT.key())
                        && hazard.text().contains("f"));
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.getLong(1);
        }
    }
}
