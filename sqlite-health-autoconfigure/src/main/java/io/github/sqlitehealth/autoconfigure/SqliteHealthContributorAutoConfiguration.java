package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.actuate.SqliteHealthIndicator;
import io.github.sqlitehealth.monitor.Monitor;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
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

    /** The indicator itself for one database; for several a composite, by the names of the beans. */
    @Bean
    @ConditionalOnMissingBean(name = {"sqliteHealthIndicator", "sqliteHealthContributor"})
    HealthContributor sqliteHealthContributor(
            Monitor monitor, DataSourceBeans dataSources, SqliteHealthProperties properties) {
        Map<String, HealthContributor> indicators = new LinkedHashMap<>();
        dataSources.all().forEach((name, dataSource) -> {
            if (Candidate.mayBeWatched(dataSource)) {
                indicators.put(name, new SqliteHealthIndicator(name, monitor, properties.status()));
            }
        });
        return indicators.size() == 1
                ? indicators.values().iterator().next()
                : CompositeHealthContributor.fromMap(indicators);
    }
}
