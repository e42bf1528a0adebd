package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.actuate.SqliteForensicsEndpoint;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What every incident of the book must leave behind in an application, whatever its verdict: an answer of health, numbers
 * and a snapshot; and that everyday life leaves nothing. It asks as the outside does: indicator, meters and endpoint.
 */
public final class Evidence {

    /** Half of it is the book's limit of a second: the machine may be noisy. */
    public static final Duration LIMIT = Duration.ofSeconds(2);

    private static final Duration SNAPSHOT_LIMIT = Duration.ofSeconds(5);

    private Evidence() {}

    /** Waits until health says so. */
    public static void awaitVerdict(ApplicationContext app, String database, Verdict verdict, Duration atMost) {
        await().atMost(atMost)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () -> assertThat(health(app, database).getDetails()).containsEntry("verdict", verdict.name()));
    }

    /** Asserts that a verdict stands in health, in the meters and in a snapshot that names this process; the snapshot. */
    public static JsonNode assertNamed(ApplicationContext app, String database, Verdict verdict) {
        assertStands(app, database, verdict);
        JsonNode snapshot = snapshot(app, database, verdict);
        assertThat(descriptors(snapshot)).as("files we hold, in %s", snapshot).isNotEmpty();
        return snapshot;
    }

    /** The same without the holders, for where nobody can tell them. */
    public static void assertStands(ApplicationContext app, String database, Verdict verdict) {
        awaitMeters(app, database);
        Health health = health(app, database);
        assertThat(health.getDetails()).containsEntry("verdict", verdict.name());
        assertThat(health.getStatus().getCode()).isEqualTo(verdict.status());
        assertOnly(app, database, verdict);
        assertThat(gauge(app, database, "sqlite.health.latch.duration")).isPositive();
        // Of silence health knows by itself, at once; the alarm comes with the next look.
        await().untilAsserted(() ->
                assertThat(count(app, database, "sqlite.health.alarms")).isPositive());
    }

    /** Asserts that nothing was named since the start: neither now nor for however short a time before. */
    public static void assertNothingNamed(ApplicationContext app, String database) {
        awaitMeters(app, database);
        Health health = health(app, database);
        assertThat(health.getDetails())
                .containsEntry("verdict", "HEALTHY")
                .containsEntry("latchedFor", "PT0S")
                .doesNotContainKey("since");
        assertThat(health.getStatus().getCode()).isEqualTo("UP");
        assertOnly(app, database, Verdict.HEALTHY);
        assertThat(gauge(app, database, "sqlite.health.latch.duration")).isZero();
        assertThat(gauge(app, database, "sqlite.health.inode.changes")).isZero();
        assertThat(count(app, database, "sqlite.health.alarms")).isZero();
        assertThat(count(app, database, "sqlite.health.transients")).isZero();
        assertThat(hazards(app, database)).isEmpty();
        JsonNode all = forensics(app, database);
        assertThat(all.path("incidents").valueStream()).isEmpty();
        assertThat(all.path("snapshots").valueStream()).allSatisfy(entry -> {
            assertThat(entry.path("verdict").asString("")).isEqualTo("HEALTHY");
            assertThat(entry.has("incident")).isFalse();
        });
    }

    /** Asserts that every witness says OK by now, but for those that cannot be asked and say why. */
    public static void assertHeard(ApplicationContext app, String database, Witness... unasked) {
        List<Witness> silent = List.of(unasked);
        await().untilAsserted(() -> {
            for (Witness witness : Witness.values()) {
                JsonNode said = json(health(app, database).getDetails().get("witnesses"))
                        .path(witness.key());
                assertThat(said.path("says").asString("nothing"))
                        .as("%s: %s", witness, said)
                        .isEqualTo(silent.contains(witness) ? "UNASKED" : "OK");
                assertThat(said.path("text").asString("")).as("%s", witness).isNotEmpty();
            }
        });
    }

    /** Those that come from the database, and not from the machine that the test runs on. */
    private static List<String> hazards(ApplicationContext app, String database) {
        return json(health(app, database).getDetails().get("hazards"))
                .valueStream()
                .map(hazard -> hazard.path("name").asString(""))
                .filter(name -> !name.equals(HazardKind.DISK_SPACE.key()))
                .toList();
    }

    public static Health health(ApplicationContext app, String database) {
        HealthContributor contributor = app.getBean("sqliteHealthContributor", HealthContributor.class);
        HealthContributor found = contributor instanceof CompositeHealthContributor composite
                ? composite.getContributor(database)
                : contributor;
        return ((HealthIndicator) found).health();
    }

    /** What this process holds, as a snapshot tells it. */
    public static List<JsonNode> descriptors(JsonNode snapshot) {
        long self = ProcessHandle.current().pid();
        return snapshot.path("holders")
                .valueStream()
                .filter(holder -> holder.path("pid").asLong() == self)
                .filter(holder -> holder.path("self").asBoolean())
                .flatMap(holder -> holder.path("descriptors").valueStream())
                .toList();
    }

    /** The first snapshot with this verdict: it may take its time to look for holders. */
    public static JsonNode snapshot(ApplicationContext app, String database, Verdict verdict) {
        List<JsonNode> found = await().atMost(SNAPSHOT_LIMIT)
                .until(() -> snapshots(app, database, verdict), entries -> !entries.isEmpty());
        assertThat(count(app, database, "sqlite.health.snapshots")).isPositive();
        String id = found.get(0).path("id").asString();
        return json(app.getBean(SqliteForensicsEndpoint.class)
                .snapshot(database, id)
                .getBody());
    }

    /** The list of snapshots with this verdict, oldest first. */
    public static List<JsonNode> snapshots(ApplicationContext app, String database, Verdict verdict) {
        return forensics(app, database)
                .path("snapshots")
                .valueStream()
                .filter(entry -> verdict.name().equals(entry.path("verdict").asString("")))
                .toList();
    }

    /** The sum of the gauges of this name that carry these tags (name, value, name, value ...). */
    public static double gauge(ApplicationContext app, String database, String name, String... tags) {
        return app.getBean(MeterRegistry.class).get(name).tag("database", database).tags(tags).gauges().stream()
                .mapToDouble(Gauge::value)
                .sum();
    }

    public static double count(ApplicationContext app, String database, String name) {
        FunctionCounter counter = app.getBean(MeterRegistry.class)
                .get(name)
                .tag("database", database)
                .functionCounter();
        return counter.count();
    }

    /** A database is watched a moment before it has meters. The one of snapshots is the last of them. */
    private static void awaitMeters(ApplicationContext app, String database) {
        MeterRegistry meters = app.getBean(MeterRegistry.class);
        await().until(() ->
                meters.find("sqlite.health.snapshots").tag("database", database).functionCounter() != null);
    }

    private static void assertOnly(ApplicationContext app, String database, Verdict verdict) {
        assertThat(gauge(app, database, "sqlite.health.verdict", "verdict", verdict.name()))
                .isEqualTo(1);
        assertThat(gauge(app, database, "sqlite.health.verdict")).isEqualTo(1);
    }

    private static JsonNode forensics(ApplicationContext app, String database) {
        return json(
                app.getBean(SqliteForensicsEndpoint.class).database(database).getBody());
    }

    private static JsonNode json(Object answer) {
        return JsonMapper.shared().valueToTree(answer);
    }
}
