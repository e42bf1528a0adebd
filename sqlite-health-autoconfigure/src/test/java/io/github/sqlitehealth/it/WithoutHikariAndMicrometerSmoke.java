package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;

/** Runs in a process of its own, without the jars of HikariCP and Micrometer: see the pom. */
class WithoutHikariAndMicrometerSmoke {

    @TempDir
    Path temporary;

    @Test
    void anApplicationWithoutAPoolAndWithoutMetersIsWatchedAndItsHealthAnswers() throws Exception {
        for (String gone :
                new String[] {"com.zaxxer.hikari.HikariDataSource", "io.micrometer.core.instrument.MeterRegistry"}) {
            assertThat(ClassUtils.isPresent(gone, null)).as(gone).isFalse();
        }
        Path file = temporary.toRealPath().resolve("app.db");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement()) {
            statement.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)");
        }
        try (ConfigurableApplicationContext app = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=jdbc:sqlite:" + file,
                        "--spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource",
                        "--management.endpoints.web.exposure.include=health,sqliteforensics",
                        "--management.endpoint.health.show-details=always",
                        "--sqlite.health.quick-check.initial-delay=0s")) {
            await().untilAsserted(() -> {
                JsonNode health = Http.get(app, "/actuator/health/sqlite").json();
                assertThat(health.path("status").asString()).isEqualTo("UP");
                assertThat(health.at("/details/witnesses/live/says").asString()).isEqualTo("OK");
            });
            assertThat(Http.get(app, "/actuator/sqliteforensics/dataSource").status())
                    .isEqualTo(200);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
