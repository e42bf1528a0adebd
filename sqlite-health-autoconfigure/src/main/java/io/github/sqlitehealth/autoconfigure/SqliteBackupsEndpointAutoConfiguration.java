package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.actuate.SqliteBackupsEndpoint;
import io.github.sqlitehealth.monitor.Monitor;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@code /actuator/sqlitebackups}, where the application exposes it. */
@AutoConfiguration(after = SqliteHealthAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Monitor.class)
@ConditionalOnAvailableEndpoint(SqliteBackupsEndpoint.class)
public final class SqliteBackupsEndpointAutoConfiguration {

    SqliteBackupsEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SqliteBackupsEndpoint sqliteBackupsEndpoint(Monitor monitor, SqliteHealthProperties properties) {
        return new SqliteBackupsEndpoint(monitor, properties.backup().timeout());
    }
}
