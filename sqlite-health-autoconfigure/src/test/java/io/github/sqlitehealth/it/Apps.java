package io.github.sqlitehealth.it;

import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.autoconfigure.SqliteBackupsEndpointAutoConfiguration;
import io.github.sqlitehealth.autoconfigure.SqliteForensicsEndpointAutoConfiguration;
import io.github.sqlitehealth.autoconfigure.SqliteHealthAutoConfiguration;
import io.github.sqlitehealth.autoconfigure.SqliteHealthContributorAutoConfiguration;
import io.github.sqlitehealth.autoconfigure.SqliteHealthMetricsAutoConfiguration;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Applications that use the library, quick enough for a test. */
public final class Apps {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String[] QUICK = {
        "sqlite.health.identity-watch.interval=50ms",
        "sqlite.health.quick-check.initial-delay=0s",
        "sqlite.health.quick-check.interval=100ms",
        "sqlite.health.stale-after=10m",
        "sqlite.health.max-check-load=1"
    };

    /** What is off until an application asks for it; {@link Db} makes the table. */
    private static final String[] EVERY_WITNESS = {
        "sqlite.health.confused.evict=true",
        "sqlite.health.content.required-tables=t",
        "sqlite.health.content.row-floors.t=1"
    };

    private static final String[] ORDINARY = {
        "server.port=0",
        "spring.main.banner-mode=off",
        "management.endpoints.web.exposure.include=health,sqliteforensics,sqlitebackups,prometheus",
        "management.endpoint.health.show-details=always"
    };

    private Apps() {}

    /** A context with the auto-configurations of this library and nothing else. */
    public static ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SqliteHealthAutoConfiguration.class,
                        SqliteHealthContributorAutoConfiguration.class,
                        SqliteHealthMetricsAutoConfiguration.class,
                        SqliteForensicsEndpointAutoConfiguration.class,
                        SqliteBackupsEndpointAutoConfiguration.class))
                .withPropertyValues(QUICK);
    }

    /** The same with every witness, and with everything that {@link Evidence} asks: meters, and the endpoint. */
    public static ApplicationContextRunner observed() {
        return observed(SimpleMeterRegistry::new);
    }

    /** The same with these meters. */
    public static ApplicationContextRunner observed(Supplier<MeterRegistry> meters) {
        return runner().withBean(MeterRegistry.class, meters)
                .withPropertyValues(EVERY_WITNESS)
                .withPropertyValues("management.endpoints.web.exposure.include=sqliteforensics");
    }

    /** A whole application with a web server at some free port. */
    public static ConfigurableApplicationContext web(Class<?> configuration, String... properties) {
        Map<String, String> all = new LinkedHashMap<>();
        Stream.of(QUICK, ORDINARY, properties).flatMap(Stream::of).forEach(property -> {
            int equals = property.indexOf('=');
            all.put(property.substring(0, equals), property.substring(equals + 1));
        });
        // As arguments, which nothing overrides.
        String[] arguments = all.entrySet().stream()
                .map(each -> "--" + each.getKey() + "=" + each.getValue())
                .toArray(String[]::new);
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.SERVLET)
                .run(arguments);
    }

    /** An application like any other. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Ordinary {}

    /** The database of this name, as soon as it is watched. */
    public static WatchedDatabase watched(ApplicationContext context, String name) {
        Monitor monitor = context.getBean(Monitor.class);
        await().atMost(PATIENCE).until(() -> monitor.database(name).isPresent());
        return monitor.database(name).orElseThrow();
    }

    /** The same, as soon as pages have been checked. */
    public static WatchedDatabase checked(ApplicationContext context, String name) {
        WatchedDatabase database = watched(context, name);
        await().atMost(PATIENCE).until(() -> database.state().ticks().containsKey(Check.QUICK));
        return database;
    }

    /** Waits until this is the verdict of the database of this name. */
    public static MonitorState awaitVerdict(ApplicationContext context, String name, Verdict verdict) {
        WatchedDatabase database = watched(context, name);
        await().atMost(PATIENCE)
                .failFast("the context was closed", () -> !((ConfigurableApplicationContext) context).isActive())
                .until(() -> database.state().verdict(), verdict::equals);
        return database.state();
    }

    /** The only indicator of the library. */
    public static HealthIndicator indicator(ApplicationContext context) {
        return context.getBean("sqliteHealthContributor", HealthIndicator.class);
    }
}
