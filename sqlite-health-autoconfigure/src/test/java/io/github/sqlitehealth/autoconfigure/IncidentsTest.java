package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Figures;
import io.github.sqlitehealth.it.LogLines;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.sqlite.Collation;
import org.sqlite.Function;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;

/** Incidents of the book that have to do with how an application is put together, acted on running contexts. */
class IncidentsTest {

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    /** 17 */
    @Test
    void aPoolThatStaysExhaustedIsUnverifiedWhileFreshIsAskedAndHealthAnswers() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.runner()
                .withBean("ds", HikariDataSource.class, () -> Db.pool(file, 1))
                .withPropertyValues("sqlite.health.stale-after=700ms")
                .run(context -> {
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    HealthIndicator indicator = Apps.indicator(context);
                    Db.execute(pool, "SELECT 1");
                    Apps.awaitVerdict(context, "ds", Verdict.HEALTHY);
                    try (Connection taken = pool.getConnection()) {
                        assertThat(taken.isValid(1)).isTrue();
                        Instant exhausted = Instant.now();
                        MonitorState state = Apps.awaitVerdict(context, "ds", Verdict.UNVERIFIED);
                        assertThat(indicator.health().getStatus().getCode()).isEqualTo("UNKNOWN");
                        assertThat(String.valueOf(
                                        indicator.health().getDetails().get("summary")))
                                .contains("pool");
                        assertThat(state.testimonies().get(Witness.FRESH).says())
                                .isEqualTo(Answer.OK);
                        assertThat(state.testimonies().get(Witness.FRESH).at().at())
                                .isAfter(exhausted);
                        assertThat(Figures.p99(1000, indicator::health)).isLessThan(Duration.ofMillis(10));
                    }
                    Apps.awaitVerdict(context, "ds", Verdict.HEALTHY);
                    assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");
                });
    }

    /** 34 */
    @Test
    void whatOnlyTheConnectionsOfTheApplicationKnowIsNoDamage() throws Exception {
        Path file = folder.resolve("app.db");
        SQLiteDataSource initializing = new SQLiteDataSource() {
            @Override
            public SQLiteConnection getConnection(String user, String password) throws SQLException {
                SQLiteConnection connection = super.getConnection(user, password);
                extend(connection);
                return connection;
            }
        };
        initializing.setUrl(Db.url(file));
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(initializing);
        pool.setMaximumPoolSize(2);
        Db.execute(
                pool,
                "PRAGMA journal_mode=WAL",
                "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT COLLATE BACKWARDS, CHECK (shout(body) <> 'NEVER'))",
                "CREATE INDEX by_body ON t(body)",
                "CREATE INDEX by_shout ON t(shout(body))",
                "INSERT INTO t(body) VALUES ('b'), ('a'), ('c')");
        Apps.runner().withBean("ds", DataSource.class, () -> pool).run(context -> {
            WatchedDatabase database = Apps.checked(context, "ds");
            for (int i = 0; i < 3; i++) {
                assertHealthy(check(database, Check.QUICK));
                assertThat(database.state().testimonies().get(Witness.LIVE).says())
                        .isEqualTo(Answer.OK);
                assertHealthy(check(database, Check.FULL));
            }
            assertThat(database.state().counts().alarms()).isZero();
            assertThat(database.state().incidents()).isEmpty();
            assertThat(database.state().counts().transients()).isZero();
        });
    }

    private static void extend(Connection connection) throws SQLException {
        Collation.create(connection, "BACKWARDS", new Collation() {
            @Override
            protected int xCompare(String one, String other) {
                return other.compareTo(one);
            }
        });
        Function.create(
                connection,
                "shout",
                new Function() {
                    @Override
                    protected void xFunc() throws SQLException {
                        result(String.valueOf(value_text(0)).toUpperCase(java.util.Locale.ROOT));
                    }
                },
                1,
                Function.FLAG_DETERMINISTIC);
    }

    /** 36: kill -9 is acted on the sample application. */
    @Test
    void aSchemaThatComesLongAfterTheFirstStartIsNoIncident() throws Exception {
        Path file = folder.resolve("app.db");
        try (LogLines log = new LogLines()) {
            Apps.runner()
                    .withBean("lateSchema", DataSource.class, () -> Db.pool(file, 2))
                    .withPropertyValues("sqlite.health.stale-after=2s")
                    .run(context -> {
                        Monitor monitor = context.getBean(Monitor.class);
                        await().until(() -> monitor.whyNotWatched("lateSchema").isPresent());
                        DataSource pool = context.getBean(DataSource.class);
                        Db.execute(pool, "SELECT 1");
                        WatchedDatabase database = Apps.checked(context, "lateSchema");
                        // Several checks of an empty file, for longer than the patience with silence.
                        Instant enough = Instant.now().plusMillis(2500);
                        await().until(() -> Instant.now().isAfter(enough));
                        assertHealthy(database.state());
                        Db.execute(pool, "PRAGMA journal_mode=WAL", "CREATE TABLE t (id INTEGER)");
                        assertHealthy(check(database, Check.QUICK));
                        Db.execute(pool, "INSERT INTO t VALUES (1)");
                        assertHealthy(check(database, Check.FULL));
                        assertThat(database.state().counts().alarms()).isZero();
                    });
            assertThat(log.with("[lateSchema]")).isEmpty();
        }
    }

    /** 38 */
    @Test
    void aClockThatJumpsADayIsNoIncident() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        JumpingClock clock = new JumpingClock();
        Apps.runner()
                .withBean(Timepiece.class, () -> new Timepiece(clock, System::nanoTime))
                .withBean("ds", DataSource.class, () -> Db.pool(file, 2))
                .withPropertyValues("sqlite.health.stale-after=1m")
                .run(context -> {
                    Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    for (Duration jump : new Duration[] {Duration.ofDays(1), Duration.ofDays(-2), Duration.ofDays(1)}) {
                        clock.jump(jump);
                        assertHealthy(check(database, Check.QUICK));
                        assertHealthy(check(database, Check.FULL));
                        assertThat(Apps.indicator(context).health().getStatus().getCode())
                                .isEqualTo("UP");
                    }
                    assertThat(database.state().counts().alarms()).isZero();
                    // A latch that was set before a jump counts in real time.
                    Files.delete(Path.of(file + "-wal"));
                    Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                    clock.jump(Duration.ofDays(1));
                    assertThat(latchedFor(context)).isLessThan(Duration.ofMinutes(1));
                    clock.jump(Duration.ofDays(-3));
                    assertThat(latchedFor(context))
                            .isLessThan(Duration.ofMinutes(1))
                            .isGreaterThanOrEqualTo(Duration.ZERO);
                    assertThat(database.state().verdict()).isEqualTo(Verdict.STRANDED);
                });
    }

    /** 39: the disk of the evidence is full. */
    @Test
    void aFullDiskForTheEvidenceChangesNoVerdict() throws Exception {
        Path evidence = Files.createDirectory(folder.resolve("evidence"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", evidence.toString()),
                "a small file system cannot be mounted here, so that a full disk cannot be acted");
        try {
            run("sh", "-c", "dd if=/dev/zero of='" + evidence + "/full' bs=1k 2>/dev/null; true");
            assertVerdictsWithoutEvidence(evidence, "full.db");
        } finally {
            assertThat(run("umount", evidence.toString())).isTrue();
        }
    }

    /** 39: the directory of the evidence cannot be written to, even by root. */
    @Test
    void anUnwritableDirectoryForTheEvidenceChangesNoVerdict() throws Exception {
        Path evidence = Files.createDirectory(folder.resolve("evidence"));
        Files.createFile(evidence.resolve("ds"));
        assertVerdictsWithoutEvidence(evidence, "unwritable.db");
    }

    private void assertVerdictsWithoutEvidence(Path evidence, String name) throws Exception {
        Path file = Db.wal(folder.resolve(name));
        try (LogLines log = new LogLines()) {
            Apps.runner()
                    .withBean("ds", DataSource.class, () -> Db.pool(file, 2))
                    .withPropertyValues("sqlite.health.snapshots.directory=" + evidence)
                    .run(context -> {
                        Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                        WatchedDatabase database = Apps.checked(context, "ds");
                        assertHealthy(check(database, Check.FULL));
                        Files.delete(Path.of(file + "-wal"));
                        Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                        await().until(() -> database.state().snapshots().size() >= 2);
                        // What cannot be written is served from memory.
                        String id = database.state().snapshots().get(1).id();
                        assertThat(database.snapshot(id).orElseThrow())
                                .containsEntry("verdict", "STRANDED")
                                .containsKeys("holders", "files");
                        assertThat(Apps.indicator(context).health().getStatus().getCode())
                                .isEqualTo("DOWN");
                    });
            assertThat(log.with("Snapshots cannot be written to " + evidence)).hasSize(1);
            assertThat(log.with("What holds cannot be written to " + evidence)).hasSize(1);
            assertThat(log.with("ERROR", "STRANDED", file.toString())).hasSize(1);
        }
        assertThat(file.resolveSibling(name + "-forensics")).doesNotExist();
    }

    /** 39: nothing tells who holds what. */
    @Test
    void withProcHiddenAndLsofAbsentStrandedIsStillNamedAndTheMissingSectionSaysWhy() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Path emptyProc = Files.createDirectory(folder.resolve("proc"));
        HikariDataSource pool = Db.pool(file, 2);
        Apps.runner()
                .withBean("ds", DataSource.class, () -> pool)
                .withBean(Monitor.class, () -> StubMonitor.of(Map.of("ds", pool), emptyProc, "no-such-lsof"))
                .run(context -> {
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    assertHealthy(check(database, Check.QUICK));
                    Files.delete(Path.of(file + "-wal"));
                    Files.delete(Path.of(file + "-shm"));
                    Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                    await().until(() -> database.state().snapshots().size() >= 2);
                    Map<String, Object> snapshot = database.snapshot(
                                    database.state().snapshots().get(1).id())
                            .orElseThrow();
                    assertThat(snapshot)
                            .containsEntry("verdict", "STRANDED")
                            .containsKeys("files", "process", "volume");
                    assertThat(String.valueOf(snapshot.get("holders")))
                            .contains("error")
                            .contains(emptyProc.toString())
                            .contains("no-such-lsof");
                });
    }

    private static void assertHealthy(MonitorState state) {
        assertThat(state.verdict())
                .as(() -> String.valueOf(state.latch().held()))
                .isEqualTo(Verdict.HEALTHY);
    }

    private static MonitorState check(WatchedDatabase database, Check check) throws Exception {
        return database.check(check).get(20, TimeUnit.SECONDS);
    }

    private static Duration latchedFor(ApplicationContext context) {
        return Duration.parse(
                String.valueOf(Apps.indicator(context).health().getDetails().get("latchedFor")));
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private static final class JumpingClock extends Clock {

        private final AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);

        void jump(Duration by) {
            offset.updateAndGet(before -> before.plus(by));
        }

        @Override
        public Instant instant() {
            return Instant.now().plus(offset.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
