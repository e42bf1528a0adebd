package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.sqlite.SQLiteDataSource;

/** Incident 14: the application's own writes fail, on real disks. */
class WritesFailingTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final String INSERT = "INSERT INTO t(body) VALUES (hex(randomblob(4000)))";

    @TempDir
    Path temporary;

    private Path folder;
    private Path disk;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void realFolder() throws Exception {
        folder = temporary.toRealPath();
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            Outside.run("umount", "-l", disk.toString());
        }
    }

    @Test
    void aDiskThatOthersFillIsNamedWithItsCodeUntilAWriteLandsAgain() throws Exception {
        Path file = Db.wal(smallDisk().resolve("app.db"));
        app(() -> Db.pool(file, 2)).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            Db.execute(pool, INSERT);
            WatchedDatabase database = Apps.checked(context, "ds");
            Outside.sh("dd if=/dev/zero of=\"$1/filler\" bs=4k 2>/dev/null || true", disk);
            fail(pool, INSERT, 10);
            await().atMost(LIMIT).until(() -> database.state().verdict() == Verdict.WRITES_FAILING);
            assertThat(writes(database).text()).contains("SQLITE_FULL", "at least 10 times", "free space");
            await().until(() -> counted("SQLITE_FULL") >= 10);
            Evidence.assertNamed(context, "ds", Verdict.WRITES_FAILING);

            Outside.run("rm", disk.resolve("filler").toString());
            assertThat(database.state().verdict())
                    .as("space alone proves nothing")
                    .isEqualTo(Verdict.WRITES_FAILING);
            Db.execute(pool, INSERT);
            await().atMost(LIMIT).until(() -> database.state().verdict() == Verdict.HEALTHY);
        });
    }

    /** A pool that runs already when the context gets it, and errors that are few but go on. */
    @Test
    void aDiskThatIsMountedReadOnlyIsNamedAfterTenSeconds() throws Exception {
        Path file = Db.rollback(smallDisk().resolve("app.db"));
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Db.url(file));
        config.setMaximumPoolSize(2);
        config.setMinimumIdle(0);
        HikariDataSource pool = new HikariDataSource(config);
        Db.execute(pool, INSERT);
        // The evidence lies elsewhere: a memory that is being kept would hold the disk open.
        var app = app(() -> pool).withPropertyValues("sqlite.health.snapshots.directory=" + folder.resolve("evidence"));
        app.run(context -> {
            WatchedDatabase database = Apps.checked(context, "ds");
            // The system refuses while anybody has a file open for writing, also one that was opened just now for a
            // check.
            await().atMost(LIMIT).until(() -> {
                pool.getHikariPoolMXBean().softEvictConnections();
                return code("mount", "-o", "remount,ro", disk.toString()) == 0;
            });
            Instant start = Instant.now();
            await().atMost(LIMIT).pollInterval(Duration.ofSeconds(2)).until(() -> {
                fail(pool, INSERT, 1);
                return database.state().verdict() == Verdict.WRITES_FAILING;
            });
            assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(16));
            assertThat(writes(database).text()).containsAnyOf("READONLY", "CANTOPEN", "IOERR");
            Evidence.assertStands(context, "ds", Verdict.WRITES_FAILING);
            Outside.run("mount", "-o", "remount,rw", disk.toString());
            // Connections that were opened on the read-only disk stay read-only.
            pool.getHikariPoolMXBean().softEvictConnections();
            await().ignoreExceptions().atMost(LIMIT).until(() -> {
                Db.execute(pool, INSERT);
                return database.state().verdict() == Verdict.HEALTHY;
            });
        });
    }

    @Test
    void oneFailedWriteThatALandedOneFollowsAtOnceIsNoAlarm() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(() -> Db.pool(file, 2)).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            Db.execute(pool, INSERT);
            WatchedDatabase database = Apps.checked(context, "ds");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA max_page_count=1");
                assertThatThrownBy(() -> statement.execute(INSERT)).hasMessageContaining("FULL");
                statement.execute("PRAGMA max_page_count=1000000");
                statement.execute(INSERT);
            }
            // No other write comes, so whoever begins to look only now sees none land.
            await().during(Duration.ofSeconds(10))
                    .atMost(LIMIT)
                    .until(() -> database.state().verdict() == Verdict.HEALTHY);
            Evidence.assertNothingNamed(context, "ds");
            Evidence.assertHeard(context, "ds");
            assertThat(database.applicationErrors()).containsEntry("SQLITE_FULL", 1L);
        });
    }

    @Test
    void errorsThatAreNotOfTheStorageAreCountedAndNeverNamed() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(() -> Db.pool(Db.url(file) + "?busy_timeout=1", 2)).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            Db.execute(pool, "CREATE TABLE u(x UNIQUE)", "INSERT INTO u VALUES (1)");
            WatchedDatabase database = Apps.checked(context, "ds");
            fail(pool, "INSERT INTO u VALUES (1)", 15);
            try (Connection holder = pool.getConnection();
                    Statement statement = holder.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                fail(pool, "INSERT INTO u VALUES (2)", 15);
                statement.execute("ROLLBACK");
            }
            assertThat(database.applicationErrors())
                    .containsEntry("SQLITE_CONSTRAINT_UNIQUE", 15L)
                    .containsEntry("SQLITE_BUSY", 15L);
            await().until(() -> counted("SQLITE_BUSY") == 15);
            assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(writes(database).says()).isEqualTo(Answer.OK);
        });
    }

    @Test
    void anOverrideOfTheApplicationIsAskedAndDecides() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        AtomicInteger asked = new AtomicInteger();
        app(() -> {
                    HikariDataSource pool = Db.pool(file, 1);
                    pool.setExceptionOverride(new SQLExceptionOverride() {
                        @java.lang.Override
                        public Override adjudicate(SQLException failure) {
                            asked.incrementAndGet();
                            return Override.MUST_EVICT;
                        }
                    });
                    return pool;
                })
                .run(context -> {
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    WatchedDatabase database = watchedAfterUse(context, pool);
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        assertThatThrownBy(() -> statement.execute("nonsense")).isInstanceOf(SQLException.class);
                        assertThat(connection.isClosed())
                                .as("the connection was evicted")
                                .isTrue();
                    }
                    assertThat(asked).hasValue(1);
                    assertThat(database.applicationErrors()).containsEntry("SQLITE_ERROR", 1L);
                });
    }

    /** Really caused: a damaged page, read in a loop. */
    @Test
    void aStormOfErrorsMakesOneTickAndOneSnapshot() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "CREATE TABLE broken(x); INSERT INTO broken VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)");
        app(() -> Db.pool(file, 2))
                .withPropertyValues("sqlite.health.quick-check.interval=1h")
                .run(context -> {
                    DataSource pool = context.getBean(DataSource.class);
                    WatchedDatabase database = watchedAfterUse(context, pool);
                    Outside.damage(file, "broken");
                    // A commit of somebody else makes the connections drop the sound page that they remember.
                    Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('x')");
                    fail(pool, "SELECT * FROM broken", 10_000);
                    Apps.awaitVerdict(context, "ds", Verdict.DAMAGED);
                    assertThat(database.applicationErrors().values().stream()
                                    .mapToLong(each -> each)
                                    .sum())
                            .isEqualTo(10_000);
                    assertThat(database.state().snapshots().stream()
                                    .filter(each -> each.reason().equals("application-error")))
                            .hasSize(1);
                    await().during(Duration.ofSeconds(2))
                            .until(() -> database.state().snapshots().size() < 10);
                    assertThat(database.state().counts().alarms()).isLessThan(5);
                });
    }

    @Test
    void withoutAPoolThatShowsItsErrorsNobodyIsAsked() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        SQLiteDataSource plain = new SQLiteDataSource();
        plain.setUrl(Db.url(file));
        Apps.runner().withBean("ds", DataSource.class, () -> plain).run(context -> {
            WatchedDatabase database = watchedAfterUse(context, plain);
            assertThat(writes(database).says()).isEqualTo(Answer.UNASKED);
            assertThat(writes(database).text()).contains("HikariCP");
            assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
        });
    }

    private ApplicationContextRunner app(java.util.function.Supplier<HikariDataSource> pool) {
        return Apps.observed(() -> registry).withBean("ds", HikariDataSource.class, pool);
    }

    private static WatchedDatabase watchedAfterUse(
            org.springframework.context.ApplicationContext context, DataSource pool) throws SQLException {
        Db.execute(pool, "SELECT 1");
        WatchedDatabase database = Apps.checked(context, "ds");
        await().until(() -> database.state().testimonies().get(Witness.WRITES) != null);
        return database;
    }

    private double counted(String code) {
        var counter = registry.find("sqlite.health.application.errors")
                .tag("code", code)
                .functionCounter();
        return counter == null ? 0 : counter.count();
    }

    private static Testimony writes(WatchedDatabase database) {
        return database.state().testimonies().get(Witness.WRITES);
    }

    private static void fail(DataSource pool, String sql, int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.execute(sql)).isInstanceOf(SQLException.class);
            }
        }
    }

    private Path smallDisk() throws Exception {
        Path point = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(
                code("mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", point.toString()) == 0,
                "a small file system cannot be mounted here, so that a full disk cannot be acted");
        disk = point;
        return point;
    }

    private static int code(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
