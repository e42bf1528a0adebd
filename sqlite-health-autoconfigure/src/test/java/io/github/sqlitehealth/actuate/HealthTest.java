package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Figures;
import io.github.sqlitehealth.it.Http;
import io.github.sqlitehealth.it.Outside;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** {@code /actuator/health/sqlite} as section 5 of the design promises it. */
class HealthTest {

    private static final List<String> WITNESSES = List.of("identity", "locks", "live", "fresh", "content", "writes");

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws Exception {
        folder = temporary.toRealPath();
    }

    @Test
    void oneDatabaseIsTheIndicatorItselfWithEveryFieldOfTheContract() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        try (ConfigurableApplicationContext app =
                app(file, "management.endpoint.sqliteforensics.access=unrestricted")) {
            Db.execute(app.getBean(DataSource.class), "SELECT 1");
            Apps.checked(app, "dataSource");
            Http.post(app, "/actuator/sqliteforensics/dataSource", "{\"check\":\"full\"}");
            await().untilAsserted(() -> assertThat(
                            details(app).at("/witnesses/live/says").asString())
                    .isEqualTo("OK"));
            Http answer = Http.get(app, "/actuator/health/sqlite");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.json().path("status").asString()).isEqualTo("UP");
            JsonNode details = answer.json().path("details");
            assertThat(details.path("database").asString()).isEqualTo("dataSource");
            assertThat(details.path("file").asString()).isEqualTo(file.toString());
            assertThat(details.path("verdict").asString()).isEqualTo("HEALTHY");
            assertThat(details.path("findings").isArray()).isTrue();
            assertThat(details.path("findings")).isEmpty();
            assertThat(details.path("confirmed").isBoolean()).isTrue();
            assertThat(Duration.parse(details.path("latchedFor").asString())).isZero();
            assertThat(details.path("summary").asString()).endsWith(".").hasSizeGreaterThan(10);
            assertThat(details.path("action").asString()).isEqualTo("none");
            assertThat(details.path("witnesses").propertyNames()).containsExactlyElementsOf(WITNESSES);
            for (String witness : List.of("identity", "live", "fresh", "content")) {
                JsonNode said = details.path("witnesses").path(witness);
                assertThat(said.propertyNames()).containsExactly("says", "text", "at", "took");
                assertThat(said.path("says").asString()).as(witness).isEqualTo("OK");
                assertRecent(said.path("at"));
                assertThat(Duration.parse(said.path("took").asString())).isLessThan(Duration.ofSeconds(10));
            }
            assertRecent(details.path("lastTick"));
            assertRecent(details.path("lastQuickCheck"));
            assertRecent(details.path("lastFullCheck"));
            assertThat(details.at("/snapshots/count").isIntegralNumber()).isTrue();
            assertThat(details.at("/snapshots/count").asInt()).isEqualTo(1);
            assertThat(details.at("/snapshots/latest").isString()).isTrue();
            assertThat(details.path("hazards").isArray()).isTrue();
        }
    }

    @Test
    void aStrandedDatabaseIsDownAndSaysSinceWhenAndWhatToDo() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        try (ConfigurableApplicationContext app = app(file)) {
            strand(app, file);
            Http answer = Http.get(app, "/actuator/health/sqlite");
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.json().path("status").asString()).isEqualTo("DOWN");
            JsonNode details = answer.json().path("details");
            assertThat(details.path("verdict").asString()).isEqualTo("STRANDED");
            assertThat(details.at("/findings/0").asString()).isEqualTo("STRANDED");
            assertThat(details.path("confirmed").asBoolean()).isTrue();
            assertRecent(details.path("since"));
            assertThat(Duration.parse(details.path("latchedFor").asString()))
                    .isBetween(Duration.ZERO, Duration.ofMinutes(1));
            assertThat(details.path("action").asString()).isEqualTo(Verdict.STRANDED.action());
            assertThat(details.path("summary").asString()).contains("wal");
            assertThat(details.at("/witnesses/identity/says").asString()).isEqualTo("BAD");
            Http all = Http.get(app, "/actuator/health");
            assertThat(all.json().at("/components/sqlite/status").asString()).isEqualTo("DOWN");
            assertThat(all.status()).isEqualTo(503);
        }
    }

    @Test
    void theStatusOfAVerdictCanBeAnother() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        try (ConfigurableApplicationContext app = app(
                file,
                "sqlite.health.status.stranded=degraded",
                "management.endpoint.health.status.order=down,out-of-service,degraded,up,unknown")) {
            strand(app, file);
            Http answer = Http.get(app, "/actuator/health");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.json().path("status").asString()).isEqualTo("DEGRADED");
            assertThat(answer.json().at("/components/sqlite/status").asString()).isEqualTo("DEGRADED");
        }
    }

    @Test
    void severalDatabasesAreACompositeByTheNamesOfTheBeans() throws Exception {
        Path one = Db.wal(folder.resolve("one.db"));
        Path two = Db.wal(folder.resolve("two.db"));
        Apps.runner()
                .withBean("orders", DataSource.class, () -> Db.pool(one, 1))
                .withBean("stock", DataSource.class, () -> Db.pool(two, 1))
                .withBean("stockToo", DataSource.class, () -> Db.pool(two, 1))
                .withBean("h2", DataSource.class, () -> Db.pool("jdbc:h2:mem:health", 1))
                .run(context -> {
                    List.of("orders", "stock", "stockToo").forEach(name -> Apps.checked(context, name));
                    CompositeHealthContributor composite =
                            context.getBean("sqliteHealthContributor", CompositeHealthContributor.class);
                    assertThat(composite.stream().map(entry -> entry.name()))
                            .containsExactlyInAnyOrder("orders", "stock", "stockToo");
                    assertThat(health(composite, "orders").getDetails()).containsEntry("file", one.toString());
                    assertThat(health(composite, "stock").getDetails()).containsEntry("file", two.toString());
                    assertThat(health(composite, "stockToo").getDetails()).containsEntry("file", two.toString());
                });
    }

    @Test
    void anApplicationWithoutSqliteShowsNoSuchComponent() throws Exception {
        try (ConfigurableApplicationContext app =
                Apps.web(Apps.Ordinary.class, "spring.datasource.url=jdbc:h2:mem:alone")) {
            Http answer = Http.get(app, "/actuator/health");
            assertThat(answer.json().path("status").asString()).isEqualTo("UP");
            assertThat(answer.json().path("components").has("sqlite")).isFalse();
            assertThat(answer.json().path("components").has("db")).isTrue();
        }
    }

    @Test
    void healthAnswersAtOnceWhileThePoolIsEmptyAndTheDatabaseIsLocked() throws Exception {
        Path file = Db.rollback(folder.resolve("app.db"));
        try (HikariDataSource pool = Db.pool(file, 1);
                Connection taken = pool.getConnection();
                Outside other = Outside.sqlite(file, "BEGIN EXCLUSIVE;")) {
            assertThat(List.of(taken, other)).hasSize(2);
            Apps.runner().withBean("ds", DataSource.class, () -> pool).run(context -> {
                WatchedDatabase database = Apps.watched(context, "ds");
                HealthIndicator indicator = Apps.indicator(context);
                Duration p99 =
                        Figures.p99(2000, () -> assertThat(indicator.health()).isNotNull());
                assertThat(p99).isLessThan(Duration.ofMillis(10));
                assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
            });
        }
    }

    private static Health health(CompositeHealthContributor composite, String name) {
        return ((HealthIndicator) composite.getContributor(name)).health();
    }

    private static void strand(ConfigurableApplicationContext app, Path file) throws Exception {
        Db.execute(app.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('before')");
        Apps.checked(app, "dataSource");
        Files.delete(Path.of(file + "-wal"));
        Files.delete(Path.of(file + "-shm"));
        Apps.awaitVerdict(app, "dataSource", Verdict.STRANDED);
    }

    private static JsonNode details(ConfigurableApplicationContext app) throws Exception {
        return Http.get(app, "/actuator/health/sqlite").json().path("details");
    }

    private static void assertRecent(JsonNode time) {
        assertThat(Instant.parse(time.asString())).isBetween(Instant.now().minusSeconds(60), Instant.now());
    }

    private static ConfigurableApplicationContext app(Path file, String... more) {
        String[] properties = Stream.concat(Stream.of("spring.datasource.url=" + Db.url(file)), Stream.of(more))
                .toArray(String[]::new);
        return Apps.web(Apps.Ordinary.class, properties);
    }
}
