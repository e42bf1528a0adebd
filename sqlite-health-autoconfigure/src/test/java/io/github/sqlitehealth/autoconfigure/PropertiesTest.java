package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The properties of section 5 of the design, as far as they are built: their names, defaults and descriptions. */
class PropertiesTest {

    @TempDir
    Path folder;

    /** Name, default as in the metadata, default, another value, how it is then read. */
    static Stream<Arguments> contract() {
        return Stream.of(
                row("enabled", true, true, "true", true, p -> p.enabled()),
                row("exclude", null, List.of(), "one,two", List.of("one", "two"), p -> p.exclude()),
                row(
                        "identity-watch.interval",
                        "1s",
                        seconds(1),
                        "2s",
                        seconds(2),
                        p -> p.identityWatch().interval()),
                row(
                        "identity-watch.initial-delay",
                        "0s",
                        Duration.ZERO,
                        "3s",
                        seconds(3),
                        p -> p.identityWatch().initialDelay()),
                row(
                        "identity-watch.events",
                        true,
                        true,
                        "false",
                        false,
                        p -> p.identityWatch().events()),
                row(
                        "quick-check.interval",
                        "10m",
                        minutes(10),
                        "20m",
                        minutes(20),
                        p -> p.quickCheck().interval()),
                row(
                        "quick-check.initial-delay",
                        "10s",
                        seconds(10),
                        "0s",
                        Duration.ZERO,
                        p -> p.quickCheck().initialDelay()),
                row(
                        "quick-check.timeout",
                        "30s",
                        seconds(30),
                        "5s",
                        seconds(5),
                        p -> p.quickCheck().timeout()),
                row("quick-check.retries", 2, 2, "0", 0, p -> p.quickCheck().retries()),
                row(
                        "quick-check.live-budget",
                        "1s",
                        seconds(1),
                        "100ms",
                        Duration.ofMillis(100),
                        p -> p.quickCheck().liveBudget()),
                row(
                        "full-check.interval",
                        "24h",
                        minutes(1440),
                        "1h",
                        minutes(60),
                        p -> p.fullCheck().interval()),
                row(
                        "full-check.timeout",
                        "10m",
                        minutes(10),
                        "1m",
                        minutes(1),
                        p -> p.fullCheck().timeout()),
                row("max-check-load", 0.05, 0.05, "1", 1.0, p -> p.maxCheckLoad()),
                row(
                        "anchor.enabled",
                        true,
                        true,
                        "false",
                        false,
                        p -> p.anchor().enabled()),
                row(
                        "alarm.repeat-interval",
                        "30m",
                        minutes(30),
                        "1m",
                        minutes(1),
                        p -> p.alarm().repeatInterval()),
                row("stale-after", null, minutes(30), "1s", seconds(1), p -> p.effectiveStaleAfter()),
                row(
                        "content.required-tables",
                        null,
                        List.of(),
                        "orders,tenant.orders",
                        List.of("orders", "tenant.orders"),
                        p -> p.content().requiredTables()),
                row(
                        "content.row-floors",
                        null,
                        Map.of(),
                        null,
                        null,
                        p -> p.content().rowFloors()),
                row(
                        "full-check.derived-indexes",
                        null,
                        List.of(),
                        "messages_fts",
                        List.of("messages_fts"),
                        p -> p.fullCheck().derivedIndexes()),
                row(
                        "confused.evict",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.confused().evict()),
                row(
                        "metrics.only-unhealthy",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.metrics().onlyUnhealthy()),
                row("status", null, Map.of(), null, null, p -> p.status()),
                row(
                        "snapshots.directory",
                        null,
                        null,
                        "/tmp/evidence",
                        Path.of("/tmp/evidence"),
                        p -> p.snapshots().directory()),
                row("snapshots.max-count", 200, 200, "1", 1, p -> p.snapshots().maxCount()),
                row(
                        "snapshots.max-size",
                        "64MB",
                        DataSize.ofMegabytes(64),
                        "1KB",
                        DataSize.ofKilobytes(1),
                        p -> p.snapshots().maxSize()),
                row(
                        "snapshots.holders-timeout",
                        "2s",
                        seconds(2),
                        "1s",
                        seconds(1),
                        p -> p.snapshots().holdersTimeout()),
                row(
                        "backup.enabled",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.backup().enabled()),
                row(
                        "backup.interval",
                        "24h",
                        minutes(1440),
                        "1h",
                        minutes(60),
                        p -> p.backup().interval()),
                row(
                        "backup.directory",
                        null,
                        null,
                        "/tmp/backups",
                        Path.of("/tmp/backups"),
                        p -> p.backup().directory()),
                row("backup.keep", 7, 7, "1", 1, p -> p.backup().keep()),
                row(
                        "backup.timeout",
                        "1h",
                        minutes(60),
                        "1m",
                        minutes(1),
                        p -> p.backup().timeout()),
                row(
                        "startup.check",
                        "quick",
                        quick(),
                        "full",
                        full(),
                        p -> p.startup().check()),
                row(
                        "startup.fail-fast",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.startup().failFast()),
                row(
                        "startup.max-user-version",
                        null,
                        null,
                        "7",
                        7L,
                        p -> p.startup().maxUserVersion()),
                row(
                        "startup.schema-version-query",
                        "PRAGMA user_version",
                        "PRAGMA user_version",
                        "SELECT 1",
                        "SELECT 1",
                        p -> p.startup().schemaVersionQuery()),
                row(
                        "recovery.restore-from",
                        null,
                        null,
                        null,
                        null,
                        p -> p.recovery().restoreFrom()),
                row(
                        "recovery.start-fresh",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.recovery().startFresh()),
                row(
                        "recovery.database",
                        null,
                        null,
                        "ds",
                        "ds",
                        p -> p.recovery().database()),
                row(
                        "recovery.force",
                        false,
                        false,
                        "true",
                        true,
                        p -> p.recovery().force()),
                row("recovery.keep-archives", 5, 5, "2", 2, p -> p.recovery().keepArchives()));
    }

    private static Object quick() {
        return SqliteHealthProperties.Startup.FirstCheck.QUICK;
    }

    private static Object full() {
        return SqliteHealthProperties.Startup.FirstCheck.FULL;
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Duration minutes(long minutes) {
        return Duration.ofMinutes(minutes);
    }

    private static Arguments row(
            String name,
            Object metadataDefault,
            Object value,
            String other,
            Object otherValue,
            Function<SqliteHealthProperties, Object> read) {
        return Arguments.of(name, metadataDefault, value, other, otherValue, read);
    }

    /** Without the properties that make tests quick. */
    private ApplicationContextRunner app() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SqliteHealthAutoConfiguration.class))
                .withBean("ds", DataSource.class, () -> Db.pool(folder.resolve("app.db"), 1));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contract")
    void hasTheDefaultOfTheContractAndCanBeSet(
            String name,
            Object metadataDefault,
            Object value,
            String other,
            Object otherValue,
            Function<SqliteHealthProperties, Object> read) {
        app().run(context -> assertThat(read.apply(context.getBean(SqliteHealthProperties.class)))
                .isEqualTo(value));
        if (other != null) {
            app().withPropertyValues("sqlite.health." + name + "=" + other)
                    .run(context -> assertThat(read.apply(context.getBean(SqliteHealthProperties.class)))
                            .isEqualTo(otherValue));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contract")
    void isDescribedForTheEditor(String name, Object metadataDefault) throws IOException {
        JsonNode property = metadata().get("sqlite.health." + name);
        assertThat(property).isNotNull();
        assertThat(property.path("description").asString()).endsWith(".").doesNotStartWith("The ");
        JsonNode given = property.path("defaultValue");
        Object told = given.isMissingNode()
                ? null
                : given.isBoolean()
                        ? given.asBoolean()
                        : given.isNumber() ? given.numberValue() : (Object) given.asString();
        if (!name.equals("exclude") && !name.equals("status")) {
            assertThat(told).isEqualTo(metadataDefault);
        }
        if (property.path("type").asString().equals("java.lang.Boolean")) {
            assertThat(property.path("description").asString()).startsWith("Whether ");
        }
    }

    @Test
    void noPropertyExistsThatIsNotInTheContract() throws IOException {
        List<String> contract =
                contract().map(row -> "sqlite.health." + row.get()[0]).toList();
        assertThat(metadata().keySet().stream().filter(name -> name.startsWith("sqlite.")))
                .containsExactlyInAnyOrderElementsOf(contract);
        assertThat(metadata()).containsKey("management.health.sqlite.enabled");
    }

    @Test
    void theStatusOfAVerdictIsReadInAnySpelling() {
        app().withPropertyValues(
                        "sqlite.health.status.connection-confused=out-of-service",
                        "sqlite.health.status.EMPTIED=unknown",
                        "sqlite.health.status.locks_lost=UP")
                .run(context -> assertThat(
                                context.getBean(SqliteHealthProperties.class).status())
                        .isEqualTo(Map.of(
                                Verdict.CONNECTION_CONFUSED, "OUT_OF_SERVICE",
                                Verdict.EMPTIED, "UNKNOWN",
                                Verdict.LOCKS_LOST, "UP")));
    }

    @Test
    void staleAfterFollowsTheInterval() {
        Apps.runner()
                .withBean("ds", DataSource.class, () -> Db.pool(folder.resolve("app.db"), 1))
                .withPropertyValues("sqlite.health.quick-check.interval=2m", "sqlite.health.stale-after=")
                .run(context -> assertThat(
                                context.getBean(SqliteHealthProperties.class).effectiveStaleAfter())
                        .isEqualTo(minutes(6)));
    }

    private static Map<String, JsonNode> metadata() throws IOException {
        Map<String, JsonNode> properties = new TreeMap<>();
        Path file = Path.of("target/classes/META-INF/spring-configuration-metadata.json");
        try (InputStream json = file.toUri().toURL().openStream()) {
            JsonMapper.shared()
                    .readTree(json)
                    .path("properties")
                    .forEach(property -> properties.put(property.path("name").asString(), property));
        }
        return properties;
    }
}
