package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.actuate.SqliteBackupsEndpoint;
import io.github.sqlitehealth.actuate.SqliteForensicsEndpoint;
import io.github.sqlitehealth.actuate.SqliteHealthMetrics;
import io.github.sqlitehealth.actuate.VerdictEvents;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.witness.Timepiece;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.sqlite.SQLiteConnection;

/** Each part leaves on its own when it is not wanted or when what it needs is not there. */
class BackingOffTest {

    @TempDir
    Path folder;

    private Path file;
    private ApplicationContextRunner app;

    @BeforeEach
    void database() throws SQLException {
        file = Db.wal(folder.resolve("app.db"));
        app = Apps.runner()
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("ds", DataSource.class, () -> DataSourceKind.SQLITE.of(file))
                .withPropertyValues("management.endpoints.web.exposure.include=sqliteforensics,sqlitebackups");
    }

    @Test
    void everyPartIsThereByItself() {
        app.run(context -> {
            assertThat(context)
                    .hasSingleBean(Monitor.class)
                    .hasSingleBean(MonitorLifecycle.class)
                    .hasSingleBean(SqliteHealthMetrics.class)
                    .hasSingleBean(VerdictEvents.class)
                    .hasSingleBean(SqliteForensicsEndpoint.class)
                    .hasSingleBean(SqliteBackupsEndpoint.class)
                    .hasBean("sqliteHealthContributor");
            assertThat(context.getBean(Monitor.class).isRunning()).isTrue();
        });
    }

    @Test
    void disabledItIsNotThereAtAll() {
        app.withPropertyValues("sqlite.health.enabled=false").run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(Monitor.class)
                    .doesNotHaveBean(HealthContributor.class)
                    .doesNotHaveBean(SqliteHealthMetrics.class)
                    .doesNotHaveBean(SqliteForensicsEndpoint.class)
                    .doesNotHaveBean(SqliteBackupsEndpoint.class)
                    .doesNotHaveBean(SqliteHealthProperties.class);
            assertThat(folder.resolve("app.db-forensics")).doesNotExist();
        });
    }

    @Test
    void withItsHealthDisabledItStillWatches() {
        app.withPropertyValues("management.health.sqlite.enabled=false").run(context -> {
            assertThat(context).doesNotHaveBean(HealthContributor.class).hasSingleBean(SqliteHealthMetrics.class);
            Apps.checked(context, "ds");
        });
        app.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(HealthContributor.class)
                        .hasSingleBean(Monitor.class));
    }

    @Test
    void theIndicatorOfTheApplicationIsPreferred() {
        HealthIndicator own = () -> Health.up().build();
        for (String name : new String[] {"sqliteHealthIndicator", "sqliteHealthContributor"}) {
            app.withBean(name, HealthIndicator.class, () -> own).run(context -> {
                assertThat(context.getBeansOfType(HealthContributor.class)).isEqualTo(Map.of(name, own));
                assertThat(context).hasSingleBean(Monitor.class);
            });
        }
    }

    @Test
    void theMonitorOfTheApplicationIsPreferredAndStarted() {
        Monitor own = StubMonitor.of(Map.of());
        app.withBean(Monitor.class, () -> own).run(context -> {
            assertThat(context).getBean(Monitor.class).isSameAs(own);
            assertThat(own.isRunning()).isTrue();
        });
        assertThat(own.isRunning()).isFalse();
    }

    @Test
    void theClockOfTheApplicationIsPreferred() {
        Instant then = Instant.parse("2001-02-03T04:05:06Z");
        app.withBean(Timepiece.class, () -> new Timepiece(Clock.fixed(then, ZoneOffset.UTC), System::nanoTime))
                .run(context -> {
                    Apps.checked(context, "ds");
                    assertThat(Apps.indicator(context).health().getDetails())
                            .containsEntry("lastTick", then.toString());
                });
    }

    @Test
    void withoutADataSourceThereIsNothingToWatch() {
        // Databases may be added while the application runs, so the monitor is there.
        Apps.runner().run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Monitor.class).databases()).isEmpty();
        });
    }

    @Test
    void anEndpointThatIsNotExposedDoesNotExistAndNobodyMissesIt() {
        app.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> {
                    assertThat(context)
                            .doesNotHaveBean(SqliteForensicsEndpoint.class)
                            .doesNotHaveBean(SqliteBackupsEndpoint.class);
                    Apps.checked(context, "ds");
                });
    }

    @Test
    void withoutTheDriverItIsNotThere() {
        app.withClassLoader(new FilteredClassLoader(SQLiteConnection.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Monitor.class));
    }

    @Test
    void withoutMicrometerTheRestIsThere() {
        app.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Monitor.class).doesNotHaveBean(SqliteHealthMetrics.class);
            Apps.checked(context, "ds");
        });
    }

    @Test
    void withoutARegistryThereAreNoMeters() {
        Apps.runner()
                .withBean("ds", DataSource.class, () -> DataSourceKind.SQLITE.of(file))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(Monitor.class)
                        .doesNotHaveBean(SqliteHealthMetrics.class));
    }

    @Test
    void withoutHikariSpringJdbcOrHealthTheRestIsThere() {
        for (FilteredClassLoader without : new FilteredClassLoader[] {
            new FilteredClassLoader(HikariDataSource.class),
            new FilteredClassLoader("org.springframework.jdbc", "org.springframework.boot.jdbc"),
            new FilteredClassLoader(HealthContributor.class, ConditionalOnEnabledHealthIndicator.class),
            new FilteredClassLoader(WebEndpoint.class, ConditionalOnAvailableEndpoint.class),
        }) {
            app.withClassLoader(without).run(context -> {
                assertThat(context).hasNotFailed().hasSingleBean(Monitor.class);
                Apps.checked(context, "ds");
            });
        }
    }

    @Test
    void aConfigurationOnItsOwnNeedsNoneOfTheOthers() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SqliteHealthContributorAutoConfiguration.class,
                        SqliteHealthMetricsAutoConfiguration.class,
                        SqliteForensicsEndpointAutoConfiguration.class,
                        SqliteBackupsEndpointAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthContributor.class));
    }

    @Test
    void aListenerOfTheApplicationThatThrowsDisturbsNobody() {
        AtomicReference<Verdict> heard = new AtomicReference<>();
        app.withBean("broken", io.github.sqlitehealth.monitor.MonitorListener.class, () -> new ThrowingListener(heard))
                .run(context -> {
                    Apps.checked(context, "ds");
                    assertThat(heard).hasValue(Verdict.HEALTHY);
                    assertThat(context.getBean(MeterRegistry.class)
                                    .find("sqlite.pages")
                                    .gauge())
                            .isNotNull();
                });
    }

    private record ThrowingListener(AtomicReference<Verdict> heard)
            implements io.github.sqlitehealth.monitor.MonitorListener {

        @Override
        public void added(io.github.sqlitehealth.monitor.WatchedDatabase database) {
            heard.set(database.state().verdict());
            throw new IllegalStateException("the application's own trouble");
        }
    }
}
