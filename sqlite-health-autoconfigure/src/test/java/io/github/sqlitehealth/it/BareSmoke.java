package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import java.nio.file.Path;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import org.sqlite.SQLiteDataSource;

/** Runs in a process of its own, with Spring Boot, the driver and nothing that this library can do without: see the pom. */
class BareSmoke {

    @TempDir
    static Path temporary;

    @Test
    void anApplicationWithNothingButADataSourceIsWatched() throws Exception {
        for (String gone : new String[] {
            "org.springframework.jdbc.datasource.DelegatingDataSource",
            "org.springframework.boot.jdbc.DataSourceUnwrapper",
            "com.zaxxer.hikari.HikariDataSource",
            "org.springframework.boot.health.contributor.Health",
            "io.micrometer.core.instrument.MeterRegistry"
        }) {
            assertThat(ClassUtils.isPresent(gone, null)).as(gone).isFalse();
        }
        try (ConfigurableApplicationContext app = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .run("--sqlite.health.quick-check.initial-delay=0s")) {
            try (Connection connection = app.getBean(DataSource.class).getConnection()) {
                connection.createStatement().execute("CREATE TABLE t (id INTEGER PRIMARY KEY)");
            }
            Monitor monitor = app.getBean(Monitor.class);
            await().until(() -> monitor.database("ds").isPresent());
            await().until(() ->
                    monitor.database("ds").orElseThrow().state().ticks().containsKey(Check.QUICK));
            assertThat(monitor.database("ds").orElseThrow().state().verdict()).isEqualTo(Verdict.HEALTHY);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        DataSource ds() {
            SQLiteDataSource dataSource = new SQLiteDataSource();
            dataSource.setUrl("jdbc:sqlite:" + temporary.resolve("app.db"));
            return dataSource;
        }
    }
}
