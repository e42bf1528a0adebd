package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.actuate.SqliteForensicsEndpoint;
import io.github.sqlitehealth.monitor.Monitor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A hazard that is there at the start is named at the start, not a minute later. */
class HazardsInApplicationTest {

    @TempDir
    Path folder;

    @Test
    void hardLinkAtTheStart() throws Exception {
        Path file = folder.toRealPath().resolve("app.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t(x)");
        }
        Files.createLink(file.resolveSibling("copy.db"), file);
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        SqliteHealthAutoConfiguration.class,
                        SqliteHealthContributorAutoConfiguration.class,
                        SqliteHealthMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("spring.datasource.url=jdbc:sqlite:" + file)
                .run(context -> {
                    HealthIndicator health = context.getBean(HealthIndicator.class);
                    await().atMost(Duration.ofSeconds(20))
                            .untilAsserted(() -> assertThat(hazards(health.health()))
                                    .extracting(hazard -> hazard.get("name"))
                                    .containsExactly("hard-link"));
                    assertThat(health.health().getStatus()).isEqualTo(Status.UP);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("sqlite.health.hazard")
                                    .tag("hazard", "hard-link")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                    // The pool opens no connection before it is used, and the monitor does not make it.
                    context.getBean(DataSource.class).getConnection().close();
                    Monitor monitor = context.getBean(Monitor.class);
                    SqliteForensicsEndpoint endpoint = new SqliteForensicsEndpoint(monitor, Duration.ofSeconds(20));
                    assertThat(String.valueOf(
                                    endpoint.act("dataSource", null, null).getBody()))
                            .contains("hazards=[{")
                            .contains("hard-link");
                    assertThat(liveHandleOfTheLastSnapshot(endpoint, monitor)).containsKey("synchronous");
                });
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> liveHandleOfTheLastSnapshot(SqliteForensicsEndpoint endpoint, Monitor monitor) {
        var snapshots = monitor.database("dataSource").orElseThrow().state().snapshots();
        String id = snapshots.get(snapshots.size() - 1).id();
        Map<String, Object> snapshot = endpoint.snapshot("dataSource", id).getBody();
        assertThat(snapshot).isNotNull();
        return (Map<String, Object>) snapshot.get("liveHandle");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, String>> hazards(Health health) {
        Object hazards = health.getDetails().get("hazards");
        return hazards == null ? List.of() : (List<Map<String, String>>) hazards;
    }
}
