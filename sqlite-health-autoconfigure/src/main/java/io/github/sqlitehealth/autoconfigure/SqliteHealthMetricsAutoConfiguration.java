package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.actuate.SqliteHealthMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of SQLite databases. */
@AutoConfiguration(
        after = SqliteHealthAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, io.github.sqlitehealth.monitor.Monitor.class})
public final class SqliteHealthMetricsAutoConfiguration {

    SqliteHealthMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SqliteHealthMetrics sqliteHealthMetrics(MeterRegistry registry, SqliteHealthProperties properties) {
        return new SqliteHealthMetrics(registry, properties.metrics().onlyUnhealthy());
    }
}
