package io.github.sqlitehealth.benchmark;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.actuate.SqliteHealthIndicator;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with one pool on one database in WAL mode, and the library as it comes. */
final class WatchedApplication implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final Path database;
    private final SqliteHealthIndicator indicator;

    private WatchedApplication(ConfigurableApplicationContext context, Path database) {
        this.context = context;
        this.database = database;
        this.indicator = (SqliteHealthIndicator) context.getBean("sqliteHealthContributor", HealthContributor.class);
    }

    /** Starts on a new database and returns when its files have been looked at. */
    static WatchedApplication start(Path database, String... properties) throws SQLException {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(Map.of("database", database.toString()))
                .run(Stream.of(properties).map(each -> "--" + each).toArray(String[]::new));
        WatchedApplication application = new WatchedApplication(context, database);
        application.write();
        await().until(() -> application.health().getDetails().containsKey("lastTick"));
        return application;
    }

    /** One row in a transaction of its own. */
    void write() throws SQLException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists rows (id integer primary key, text text)");
            statement.execute("insert into rows (text) values ('a row')");
        }
    }

    HikariDataSource pool() {
        return context.getBean(HikariDataSource.class);
    }

    MeterRegistry meters() {
        return context.getBean(MeterRegistry.class);
    }

    Path sidecar(String suffix) {
        return database.resolveSibling(database.getFileName() + suffix);
    }

    Health health() {
        return indicator.health();
    }

    Object verdict() {
        return health().getDetails().get("verdict");
    }

    /** The threads of the library in this application. */
    static long[] threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("sqlite-health"))
                .mapToLong(Thread::getId)
                .toArray();
    }

    static String threadNames() {
        return String.join(
                ", ",
                Arrays.stream(threads())
                        .mapToObj(id -> java.lang.management.ManagementFactory.getThreadMXBean()
                                .getThreadInfo(id)
                                .getThreadName())
                        .sorted()
                        .toList());
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        HikariDataSource dataSource(org.springframework.core.env.Environment environment) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl("jdbc:sqlite:" + environment.getRequiredProperty("database"));
            config.setMaximumPoolSize(2);
            config.setMinimumIdle(2);
            config.addDataSourceProperty("journal_mode", "WAL");
            return new HikariDataSource(config);
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }
}
