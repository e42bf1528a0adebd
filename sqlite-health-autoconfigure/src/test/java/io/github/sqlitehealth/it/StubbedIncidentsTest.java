package io.github.sqlitehealth.it;

import static io.github.sqlitehealth.fixture.Scripted.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.fixture.Scripted;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/**
 * Incidents that nobody can act on demand: the pool's connection says what it is told, or the clock does; all else is a
 * real application on a real file.
 */
class StubbedIncidentsTest {

    private static final String SECOND_REFERENCE = "2nd reference to page 56933";
    private static final String OUT_OF_ORDER = "Rowid 687194767425 out of order";

    @TempDir
    Path temporary;

    private final Scripted live = new Scripted();
    private final FakeTime time = new FakeTime();
    private Path file;

    @BeforeEach
    void database() throws Exception {
        file = Outside.database(temporary.toRealPath().resolve("app.db"), 10);
    }

    /** Incident 10. */
    @Test
    void aFailedReadThatPassesAgainIsCountedAndKeptAndNoAlarm() {
        asked().run(context -> {
            WatchedDatabase database = used(context);
            for (int read = 1; read <= 20; read++) {
                live.then(rows(SECOND_REFERENCE), Scripted.OK);
                assertThat(database.check(Check.QUICK).get(20, TimeUnit.SECONDS).verdict())
                        .isEqualTo(Verdict.SUSPECT);
                assertThat(Evidence.health(context, "ds").getStatus().getCode()).isEqualTo("UP");
                assertThat(Evidence.gauge(context, "ds", "sqlite.health.verdict", "verdict", "SUSPECT"))
                        .isEqualTo(1);
                assertThat(Evidence.count(context, "ds", "sqlite.health.transients"))
                        .isEqualTo(read);
                assertThat(Evidence.snapshots(context, "ds", Verdict.SUSPECT))
                        .filteredOn(entry -> entry.path("reason").asString("").equals("transient"))
                        .as("after %s reads, of which the 1st and each 10th is kept", read)
                        .hasSize(1 + read / 10);
            }
            assertThat(Evidence.descriptors(Evidence.snapshot(context, "ds", Verdict.SUSPECT)))
                    .isNotEmpty();
            assertThat(Evidence.count(context, "ds", "sqlite.health.alarms")).isZero();
            database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            assertThat(Evidence.health(context, "ds").getDetails()).containsEntry("verdict", "HEALTHY");
        });
    }

    /** Incident 18. */
    @Test
    void aCheckThatHangsIsUnverifiedAndTheAgeOfTheLastOneGrowsInHealthAndMetrics() {
        Duration stale = Duration.ofMillis(700);
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        Apps.observed()
                .withBean("ds", HikariDataSource.class, () -> live.over(Db.url(file)))
                .withPropertyValues("sqlite.health.stale-after=" + stale.toMillis() + "ms")
                .run(context -> {
                    try {
                        used(context);
                        WatchedDatabase database = Apps.checked(context, "ds");
                        live.then(Scripted.hanging(hangs, letGo));
                        assertThat(hangs.await(20, TimeUnit.SECONDS)).isTrue();
                        Instant last = lastQuickCheck(context);
                        Evidence.awaitVerdict(context, "ds", Verdict.UNVERIFIED, stale.plus(Evidence.LIMIT));

                        Evidence.assertNamed(context, "ds", Verdict.UNVERIFIED);
                        assertThat(lastQuickCheck(context))
                                .as("none has ended since")
                                .isEqualTo(last);
                        assertThat(age(context, "quick")).isGreaterThan(stale);
                        await().untilAsserted(() ->
                                assertThat(age(context, "identity")).isLessThan(stale));
                        assertThat(Instant.parse(String.valueOf(Evidence.health(context, "ds")
                                        .getDetails()
                                        .get("lastTick"))))
                                .as("the watch goes on")
                                .isAfter(last.plus(stale));
                        assertThat(database.state().incident()).isNotNull();
                    } finally {
                        letGo.countDown();
                    }
                    Evidence.awaitVerdict(context, "ds", Verdict.HEALTHY, Evidence.LIMIT);
                    assertThat(age(context, "quick")).isLessThan(stale);
                });
    }

    /** Incident 19. */
    @Test
    void anotherTextAndHalfAnHourAreOneMoreAlarmEach() {
        try (LogLines log = new LogLines()) {
            asked().run(context -> {
                WatchedDatabase database = used(context);
                live.always(rows(SECOND_REFERENCE));
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                Evidence.assertNamed(context, "ds", Verdict.CONNECTION_CONFUSED);
                pass(database, Duration.ofMinutes(10));
                live.always(rows(OUT_OF_ORDER));
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                assertThat(Evidence.count(context, "ds", "sqlite.health.alarms"))
                        .isEqualTo(2);
                pass(database, Duration.ofMinutes(31));
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);

                assertThat(Evidence.count(context, "ds", "sqlite.health.alarms"))
                        .isEqualTo(3);
                assertThat(Evidence.gauge(context, "ds", "sqlite.health.latch.duration"))
                        .isBetween(41 * 60.0, 42 * 60.0);
                Evidence.assertNamed(context, "ds", Verdict.CONNECTION_CONFUSED);
            });
            List<String> lines = log.with(file.toString(), "CONNECTION_CONFUSED");
            assertThat(lines).hasSize(3);
            assertThat(lines.get(0)).contains(SECOND_REFERENCE);
            assertThat(lines.get(1)).contains(OUT_OF_ORDER);
            assertThat(lines.get(2)).contains(OUT_OF_ORDER, "PT41M");
        }
    }

    /** Incident 20. The file is damaged for real, so that both checks find it; the ticks of the quick one are 11 min 15 s apart. */
    @Test
    void oneTextForHoursIsOneAlarmEachHalfHourFromEachSource() throws Exception {
        Duration step = Duration.ofSeconds(225);
        try (LogLines log = new LogLines()) {
            asked().run(context -> {
                WatchedDatabase database = used(context);
                Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
                Outside.damage(file, "t");
                live.always(rows(SECOND_REFERENCE));
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                for (int steps = 1; steps <= 72; steps++) {
                    pass(database, step);
                    if (steps == 2) {
                        database.check(Check.FULL).get(20, TimeUnit.SECONDS);
                    }
                    if (steps % 3 == 0) {
                        database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                    }
                }
                Evidence.assertNamed(context, "ds", Verdict.DAMAGED);
                assertThat(Evidence.gauge(context, "ds", "sqlite.health.latch.duration"))
                        .isBetween(270 * 60.0, 271 * 60.0);
                assertThat(Evidence.count(context, "ds", "sqlite.health.alarms"))
                        .isEqualTo(19);
            });
            // At once and nine times half an hour later; the full check began 7 min 30 s after that.
            assertThat(log.with("ERROR", file.toString(), "the quick check", SECOND_REFERENCE))
                    .hasSize(10);
            assertThat(log.with("ERROR", file.toString(), "the full check")).hasSize(9);
        }
    }

    /** It checks only when it is asked to, and its time passes as it is told to. */
    private ApplicationContextRunner asked() {
        return Apps.observed()
                .withBean("ds", HikariDataSource.class, () -> live.over(Db.url(file)))
                .withBean(Timepiece.class, time::timepiece)
                .withPropertyValues(
                        "sqlite.health.startup.check=none",
                        "sqlite.health.quick-check.interval=1h",
                        "sqlite.health.stale-after=24h",
                        "sqlite.health.identity-watch.interval=10ms");
    }

    private static WatchedDatabase used(ApplicationContext context) throws Exception {
        Db.execute(context.getBean(HikariDataSource.class), "INSERT INTO t(body) VALUES ('x')");
        return Apps.watched(context, "ds");
    }

    /** Time passes, and the watch has taken note of it: it has looked twice since, so it has gone round once. */
    private void pass(WatchedDatabase database, Duration duration) {
        time.pass(duration);
        for (int look = 0; look < 2; look++) {
            Moment before = time.now();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> database.state().ticks().get(Check.IDENTITY).isAfter(before));
        }
    }

    private static Duration age(ApplicationContext context, String check) {
        double seconds = Evidence.gauge(context, "ds", "sqlite.health.tick.age", "check", check);
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private static Instant lastQuickCheck(ApplicationContext context) {
        return Instant.parse(
                String.valueOf(Evidence.health(context, "ds").getDetails().get("lastQuickCheck")));
    }
}
