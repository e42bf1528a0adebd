package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.actuate.SqliteHealthMetrics;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Evidence;
import io.github.sqlitehealth.it.Figures;
import io.github.sqlitehealth.it.LogLines;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.witness.Timepiece;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import org.sqlite.Collation;
import org.sqlite.Function;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;
import tools.jackson.databind.JsonNode;

/** Incidents of the book that have to do with how an application is put together, acted on running contexts. */
class IncidentsTest {

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    /** Incident 17. */
    @Test
    void aPoolThatStaysExhaustedIsUnverifiedWhileFreshIsAskedAndHealthAnswers() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.observed()
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
                        Evidence.awaitVerdict(
                                context,
                                "ds",
                                Verdict.UNVERIFIED,
                                Duration.ofMillis(700).plus(Evidence.LIMIT));
                        Evidence.assertNamed(context, "ds", Verdict.UNVERIFIED);
                        // Silence is noticed at once, also while a slow machine is still at the check that finds the
                        // reason.
                        await().untilAsserted(() -> {
                            Testimony fresh = Apps.watched(context, "ds")
                                    .state()
                                    .testimonies()
                                    .get(Witness.FRESH);
                            assertThat(fresh.says()).isEqualTo(Answer.OK);
                            assertThat(fresh.at().at()).isAfter(exhausted);
                            assertThat(String.valueOf(
                                            indicator.health().getDetails().get("summary")))
                                    .contains("pool");
                        });
                        // Again where the machine itself was busy meanwhile: what waits for the pool never gets there.
                        await().untilAsserted(() ->
                                assertThat(Figures.p99(1000, indicator::health)).isLessThan(Duration.ofMillis(10)));
                    }
                    Apps.awaitVerdict(context, "ds", Verdict.HEALTHY);
                    assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");
                });
    }

    /** Incident 32: with an anchor SQLite refuses the way back, as it does with any second connection. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSwitchOfTheJournalModeIsNoIncident(boolean anchor) throws Exception {
        Path file = Db.rollback(folder.resolve("app.db"));
        String[] modes = anchor ? new String[] {"WAL"} : new String[] {"WAL", "DELETE", "WAL"};
        Apps.observed()
                .withBean("ds", DataSource.class, () -> Db.pool(file, 1))
                .withPropertyValues("sqlite.health.anchor.enabled=" + anchor, "sqlite.health.quick-check.interval=1h")
                .run(context -> {
                    DataSource pool = context.getBean(DataSource.class);
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    for (String mode : modes) {
                        Db.execute(pool, "PRAGMA journal_mode=" + mode, "INSERT INTO t(body) VALUES ('" + mode + "')");
                        assertThat(Files.exists(Path.of(file + "-wal"))).isEqualTo(mode.equals("WAL"));
                        assertHealthy(check(database, Check.QUICK));
                        assertHealthy(check(database, Check.FULL));
                        Moment switched = database.now();
                        await().until(() ->
                                database.state().ticks().get(Check.IDENTITY).isAfter(switched));
                    }
                    Evidence.assertNothingNamed(context, "ds");
                    Evidence.assertHeard(context, "ds", anchor ? new Witness[0] : new Witness[] {Witness.LOCKS});
                });
    }

    /** Incident 34. */
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
        Apps.observed().withBean("ds", DataSource.class, () -> pool).run(context -> {
            WatchedDatabase database = Apps.checked(context, "ds");
            for (int i = 0; i < 3; i++) {
                assertHealthy(check(database, Check.QUICK));
                assertThat(database.state().testimonies().get(Witness.LIVE).says())
                        .isEqualTo(Answer.OK);
                assertHealthy(check(database, Check.FULL));
            }
            Evidence.assertNothingNamed(context, "ds");
            // A new connection cannot judge this table; that it says so is no all-clear and no alarm.
            Evidence.assertHeard(context, "ds", Witness.FRESH);
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

    /** Incident 36: kill -9 is acted on the sample application. */
    @Test
    void aSchemaThatComesLongAfterTheFirstStartIsNoIncident() throws Exception {
        Path file = folder.resolve("app.db");
        try (LogLines log = new LogLines()) {
            Apps.observed()
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
                        Evidence.assertNothingNamed(context, "lateSchema");
                        Evidence.assertHeard(context, "lateSchema");
                    });
            assertThat(log.with("[lateSchema]")).isEmpty();
        }
    }

    /** Incident 38. */
    @Test
    void aClockThatJumpsADayIsNoIncident() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        JumpingClock clock = new JumpingClock();
        Apps.observed()
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
                    Evidence.assertNothingNamed(context, "ds");
                    Evidence.assertHeard(context, "ds");
                    // A latch that was set before a jump counts in real time.
                    Files.delete(Path.of(file + "-wal"));
                    Evidence.awaitVerdict(context, "ds", Verdict.STRANDED, Evidence.LIMIT);
                    clock.jump(Duration.ofDays(1));
                    assertThat(latchedFor(context)).isLessThan(Duration.ofMinutes(1));
                    clock.jump(Duration.ofDays(-3));
                    assertThat(latchedFor(context))
                            .isLessThan(Duration.ofMinutes(1))
                            .isGreaterThanOrEqualTo(Duration.ZERO);
                    assertThat(Evidence.gauge(context, "ds", "sqlite.health.latch.duration"))
                            .isLessThan(60);
                    Evidence.assertNamed(context, "ds", Verdict.STRANDED);
                });
    }

    /** Incident 39: the disk of the evidence is full. */
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

    /** Incident 39: the directory of the evidence cannot be written to, even by root. */
    @Test
    void anUnwritableDirectoryForTheEvidenceChangesNoVerdict() throws Exception {
        Path evidence = Files.createDirectory(folder.resolve("evidence"));
        Files.createFile(evidence.resolve("ds"));
        assertVerdictsWithoutEvidence(evidence, "unwritable.db");
    }

    private void assertVerdictsWithoutEvidence(Path evidence, String name) throws Exception {
        Path file = Db.wal(folder.resolve(name));
        try (LogLines log = new LogLines()) {
            Apps.observed()
                    .withBean("ds", DataSource.class, () -> Db.pool(file, 2))
                    .withPropertyValues("sqlite.health.snapshots.directory=" + evidence)
                    .run(context -> {
                        Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                        WatchedDatabase database = Apps.checked(context, "ds");
                        assertHealthy(check(database, Check.FULL));
                        Evidence.assertNothingNamed(context, "ds");
                        Evidence.assertHeard(context, "ds");
                        Files.delete(Path.of(file + "-wal"));
                        Evidence.awaitVerdict(context, "ds", Verdict.STRANDED, Evidence.LIMIT);
                        // What cannot be written is served from memory.
                        assertThat(Evidence.assertNamed(context, "ds", Verdict.STRANDED)
                                        .propertyNames())
                                .contains("holders", "files");
                    });
            assertThat(log.with("Snapshots cannot be written to " + evidence)).hasSize(1);
            assertThat(log.with("What holds cannot be written to " + evidence)).hasSize(1);
            assertThat(log.with("ERROR", "STRANDED", file.toString())).hasSize(1);
        }
        assertThat(file.resolveSibling(name + "-forensics")).doesNotExist();
    }

    /** Incident 39: nothing tells who holds what. */
    @Test
    void withProcHiddenAndLsofAbsentStrandedIsStillNamedAndTheMissingSectionSaysWhy() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Path emptyProc = Files.createDirectory(folder.resolve("proc"));
        HikariDataSource pool = Db.pool(file, 2);
        MeterRegistry meters = new SimpleMeterRegistry();
        SqliteHealthMetrics metrics = new SqliteHealthMetrics(meters, false);
        Apps.observed(() -> meters)
                .withBean("ds", DataSource.class, () -> pool)
                .withBean(Monitor.class, () -> StubMonitor.of(Map.of("ds", pool), metrics, emptyProc, "no-such-lsof"))
                .run(context -> {
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    assertHealthy(check(database, Check.QUICK));
                    Evidence.assertNothingNamed(context, "ds");
                    Files.delete(Path.of(file + "-wal"));
                    Files.delete(Path.of(file + "-shm"));
                    Evidence.awaitVerdict(context, "ds", Verdict.STRANDED, Evidence.LIMIT);
                    Evidence.assertStands(context, "ds", Verdict.STRANDED);
                    JsonNode snapshot = Evidence.snapshot(context, "ds", Verdict.STRANDED);
                    assertThat(snapshot.propertyNames()).contains("files", "process", "volume");
                    assertThat(snapshot.at("/holders/error").asString(""))
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
