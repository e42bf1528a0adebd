package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.autoconfigure.SqliteHealthAutoConfiguration;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/** Runs in a process of its own, without the jars of actuator, health and Micrometer: see the pom. */
class WithoutActuatorSmoke {

    @TempDir
    Path temporary;

    @Test
    void anApplicationWithoutActuatorIsWatchedAndItsLogTellsTheTruth() throws Exception {
        for (String gone : new String[] {
            "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
            "org.springframework.boot.health.contributor.Health",
            "io.micrometer.core.instrument.MeterRegistry"
        }) {
            assertThat(ClassUtils.isPresent(gone, null)).as(gone).isFalse();
        }
        Path file = Db.wal(temporary.toRealPath().resolve("app.db"));
        try (ConfigurableApplicationContext app = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + Db.url(file),
                        "--sqlite.health.identity-watch.interval=50ms",
                        "--sqlite.health.quick-check.initial-delay=0s")) {
            assertThat(app.getBean(SqliteHealthAutoConfiguration.class)).isNotNull();
            Db.execute(app.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
            Monitor monitor = app.getBean(Monitor.class);
            await().until(() -> monitor.database("dataSource").isPresent());
            try (LogLines log = new LogLines()) {
                Files.delete(Path.of(file + "-wal"));
                await().until(() ->
                        monitor.database("dataSource").orElseThrow().state().verdict() == Verdict.STRANDED);
                // The text may change once: SQLite puts a new file at the path as soon as a connection is opened.
                await().untilAsserted(() -> assertThat(log.with("ERROR", "STRANDED", file.toString()))
                        .isNotEmpty());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
