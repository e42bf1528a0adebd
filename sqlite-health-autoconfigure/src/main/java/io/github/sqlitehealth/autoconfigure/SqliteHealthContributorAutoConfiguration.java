package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.actuate.SqliteHealthComponents;
import io.github.sqlitehealth.monitor.Monitor;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health of SQLite databases: {@code /actuator/health/sqlite}. */
@AutoConfiguration(
        after = SqliteHealthAutoConfiguration.class,
        beforeName =
                "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration")
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Monitor.class)
@ConditionalOnEnabledHealthIndicator("sqlite")
public final class SqliteHealthContributorAutoConfiguration {

    SqliteHealthContributorAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SqliteHealthComponents sqliteHealthComponents(
            ObjectProvider<Monitor> monitor,
            ObjectProvider<HealthContributorRegistry> registry,
            SqliteHealthProperties properties) {
        return new SqliteHealthComponents(monitor::getIfAvailable, properties.status(), registry::getIfAvailable);
    }

    /** The indicator itself for one database; for several a composite, by the names of the beans. */
    @Bean
    @ConditionalOnMissingBean(name = {"sqliteHealthIndicator", "sqliteHealthContributor"})
    HealthContributor sqliteHealthContributor(SqliteHealthComponents components, DataSourceBeans dataSources) {
        List<String> names = new ArrayList<>();
        dataSources.all().forEach((name, dataSource) -> {
            if (Candidate.mayBeWatched(dataSource)) {
                names.add(name);
            }
        });
        return components.contributor(names);
    }
}
