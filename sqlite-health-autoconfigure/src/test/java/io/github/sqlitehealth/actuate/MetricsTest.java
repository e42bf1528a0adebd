package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.recovery.Backup;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The meters of section 5 of the design, those of locks, writes and hazards excepted, which have no witness yet. */
class MetricsTest {

    @TempDir
    Path temporary;

    private Path folder;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void realFolder() throws Exception {
        folder = temporary.toRealPath();
    }

    private ApplicationContextRunner app(Path file, MeterRegistry registry) {
        return Apps.runner()
                .withBean(MeterRegistry.class, () -> registry)
                .withBean("ds", DataSource.class, () -> Db.pool(file, 2));
    }

    @Test
    void everyMeterOfTheContractExistsWithItsTypeItsTagsAndItsUnit() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(file, registry).run(context -> {
            Db.execute(context.getBean(DataSource.class), "SELECT 1");
            WatchedDatabase database = Apps.checked(context, "ds");
            database.check(Check.FULL).get(20, TimeUnit.SECONDS);
            Set<String> meters = new TreeSet<>();
            registry.getMeters().forEach(meter -> meters.add(shown(meter)));
            assertThat(meters)
                    .containsExactlyInAnyOrder(
                            "GAUGE sqlite.health.latch.duration [database] seconds",
                            "GAUGE sqlite.health.inode.changes [database, file] null",
                            "GAUGE sqlite.health.verdict [database, verdict] null",
                            "GAUGE sqlite.health.hazard [database, hazard] null",
                            "GAUGE sqlite.health.tick.age [check, database] seconds",
                            "TIMER sqlite.health.check [answer, check, database, witness] seconds",
                            "COUNTER sqlite.health.transients [database] null",
                            "COUNTER sqlite.health.alarms [database] null",
                            "COUNTER sqlite.health.snapshots [database] null",
                            "GAUGE sqlite.file.size [database, file] bytes",
                            "GAUGE sqlite.pages [database] null",
                            "GAUGE sqlite.freelist.pages [database] null");
            assertThat(values("sqlite.health.verdict", "verdict"))
                    .isEqualTo(Arrays.stream(Verdict.values()).map(Enum::name).collect(Collectors.toSet()));
            assertThat(values("sqlite.health.inode.changes", "file")).containsOnly("main", "wal", "shm");
            assertThat(values("sqlite.file.size", "file")).containsOnly("main", "wal", "shm");
            assertThat(values("sqlite.health.tick.age", "check")).containsOnly("identity", "quick", "full");
            assertThat(values("sqlite.health.check", "witness"))
                    .containsOnly("identity", "locks", "live", "fresh", "content", "writes");
            assertThat(values("sqlite.health.check", "check")).containsOnly("identity", "quick", "full", "writes");
            assertThat(values("sqlite.health.check", "answer")).contains("OK");
            assertThat(registry.getMeters())
                    .allMatch(meter -> "ds".equals(meter.getId().getTag("database")));
            assertThat(registry.getMeters()).allMatch(meter -> meter.getId().getDescription() != null);
        });
    }

    @Test
    void backupsHaveMetersWhereTheyAreEnabled() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(file, registry)
                .withPropertyValues("sqlite.health.backup.enabled=true", "sqlite.health.quick-check.initial-delay=1h")
                .run(context -> {
                    Db.execute(context.getBean(DataSource.class), "SELECT 1");
                    WatchedDatabase database = Apps.watched(context, "ds");
                    await().until(() -> !shownOfBackups().isEmpty());
                    assertThat(shownOfBackups())
                            .containsExactlyInAnyOrder(
                                    "GAUGE sqlite.health.backup.age [database] seconds",
                                    "TIMER sqlite.health.backup.duration [database] seconds",
                                    "GAUGE sqlite.health.backup.size [database] bytes",
                                    "COUNTER sqlite.health.backup.failures [database] null");
                    assertThat(gauge("sqlite.health.backup.age")).isNaN();
                    assertThat(gauge("sqlite.health.backup.size")).isNaN();

                    Backup backup = database.backups().now().get(20, TimeUnit.SECONDS);

                    assertThat(gauge("sqlite.health.backup.age")).isBetween(0.0, 20.0);
                    assertThat(gauge("sqlite.health.backup.size")).isEqualTo(Files.size(backup.file()));
                    assertThat(registry.get("sqlite.health.backup.duration")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                    assertThat(counter("sqlite.health.backup.failures")).isZero();

                    Outside.damage(file, "t");
                    database.backups().now().handle((ok, failure) -> failure).get(20, TimeUnit.SECONDS);

                    assertThat(counter("sqlite.health.backup.failures")).isEqualTo(1);
                    assertThat(registry.get("sqlite.health.backup.duration")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }

    private Set<String> shownOfBackups() {
        return registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().contains("backup"))
                .map(MetricsTest::shown)
                .collect(Collectors.toSet());
    }

    @Test
    void theValuesAreThoseOfTheDatabase() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        // A check that runs while the file is removed would create a new one.
        app(file, registry)
                .withPropertyValues("sqlite.health.quick-check.interval=1h")
                .run(context -> {
                    Db.execute(
                            context.getBean(DataSource.class),
                            "INSERT INTO t(body) VALUES ('x')",
                            "DELETE FROM t WHERE id > 10");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                    assertThat(gauge("sqlite.pages")).isGreaterThan(1);
                    assertThat(gauge("sqlite.freelist.pages")).isPositive();
                    assertThat(gauge("sqlite.file.size", "file", "main")).isEqualTo(Files.size(file));
                    assertThat(gauge("sqlite.health.tick.age", "check", "identity"))
                            .isBetween(0.0, 5.0);
                    assertThat(gauge("sqlite.health.verdict", "verdict", "HEALTHY"))
                            .isEqualTo(1);
                    assertThat(gauge("sqlite.health.verdict", "verdict", "STRANDED"))
                            .isZero();
                    assertThat(gauge("sqlite.health.latch.duration")).isZero();
                    assertThat(counter("sqlite.health.snapshots")).isEqualTo(1);
                    assertThat(counter("sqlite.health.alarms")).isZero();
                    assertThat(registry.get("sqlite.health.check")
                                    .tags("check", "quick", "witness", "live", "answer", "OK")
                                    .timer()
                                    .count())
                            .isPositive();

                    Files.delete(Path.of(file + "-wal"));
                    Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                    assertThat(gauge("sqlite.health.verdict", "verdict", "STRANDED"))
                            .isEqualTo(1);
                    assertThat(gauge("sqlite.health.verdict", "verdict", "HEALTHY"))
                            .isZero();
                    await().untilAsserted(() ->
                            assertThat(gauge("sqlite.health.latch.duration")).isPositive());
                    assertThat(gauge("sqlite.health.inode.changes", "file", "wal"))
                            .isEqualTo(1);
                    assertThat(gauge("sqlite.health.inode.changes", "file", "main"))
                            .isZero();
                    await().untilAsserted(() -> {
                        assertThat(counter("sqlite.health.alarms")).isEqualTo(1);
                        // On request, of the swap, and when it was known what a stop would do.
                        assertThat(counter("sqlite.health.snapshots")).isEqualTo(3);
                    });
                    assertThat(gauge("sqlite.file.size", "file", "wal")).isNaN();
                });
    }

    @Test
    void whatIsNotKnownIsNotZero() throws Exception {
        Path file = Db.rollback(folder.resolve("app.db"));
        app(file, registry)
                .withPropertyValues("sqlite.health.quick-check.initial-delay=1h")
                .run(context -> {
                    Apps.watched(context, "ds");
                    assertThat(gauge("sqlite.pages")).isNaN();
                    assertThat(gauge("sqlite.freelist.pages")).isNaN();
                    assertThat(gauge("sqlite.file.size", "file", "wal")).isNaN();
                    assertThat(gauge("sqlite.file.size", "file", "main")).isEqualTo(Files.size(file));
                });
    }

    @Test
    void gaugesAndCountersSurviveAGarbageCollection() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(file, registry).run(context -> {
            WatchedDatabase database = Apps.checked(context, "ds");
            database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            WeakReference<Object> canary = new WeakReference<>(new Object());
            await().until(() -> {
                System.gc();
                return canary.get() == null;
            });
            assertThat(registry.getMeters().stream()
                            .filter(meter -> meter.getId().getType() == Meter.Type.GAUGE)
                            .filter(meter ->
                                    !"sqlite.file.size".equals(meter.getId().getName()))
                            .map(meter -> meter.measure().iterator().next().getValue()))
                    .isNotEmpty()
                    .noneMatch(value -> Double.isNaN(value));
            assertThat(counter("sqlite.health.snapshots")).isEqualTo(1);
        });
    }

    @Test
    void prometheusReadsThemByTheNamesThatRulesUse() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        app(file, prometheus).run(context -> {
            Db.execute(context.getBean(DataSource.class), "SELECT 1");
            Apps.checked(context, "ds");
            Set<String> names = prometheus
                    .scrape()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.replaceAll("[{ ].*", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(names)
                    .containsExactlyInAnyOrder(
                            "sqlite_health_latch_duration_seconds",
                            "sqlite_health_inode_changes",
                            "sqlite_health_verdict",
                            "sqlite_health_hazard",
                            "sqlite_health_tick_age_seconds",
                            "sqlite_health_check_seconds_count",
                            "sqlite_health_check_seconds_sum",
                            "sqlite_health_check_seconds_max",
                            "sqlite_health_transients_total",
                            "sqlite_health_alarms_total",
                            "sqlite_health_snapshots_total",
                            "sqlite_file_size_bytes",
                            "sqlite_pages",
                            "sqlite_freelist_pages");
            assertThat(prometheus.scrape()).contains("sqlite_health_verdict{database=\"ds\",verdict=\"HEALTHY\"} 1.0");
        });
    }

    private static String shown(Meter meter) {
        Meter.Id id = meter.getId();
        List<String> tags = id.getTags().stream().map(Tag::getKey).sorted().toList();
        return id.getType() + " " + id.getName() + " " + tags + " " + id.getBaseUnit();
    }

    private Set<String> values(String meter, String tag) {
        return registry.find(meter).meters().stream()
                .map(each -> each.getId().getTag(tag))
                .collect(Collectors.toSet());
    }

    private double gauge(String name, String... tags) {
        return registry.get(name).tags(Tags.of(tags)).gauge().value();
    }

    private double counter(String name) {
        return registry.get(name).functionCounter().count();
    }
}
