package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.actuate.SqliteForensicsEndpoint;
import io.github.sqlitehealth.actuate.UnknownKeys;
import io.github.sqlitehealth.monitor.Monitor;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@code /actuator/sqliteforensics}, where the application exposes it. */
@AutoConfiguration(after = SqliteHealthAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Monitor.class)
@ConditionalOnAvailableEndpoint(SqliteForensicsEndpoint.class)
public final class SqliteForensicsEndpointAutoConfiguration {

    SqliteForensicsEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SqliteForensicsEndpoint sqliteForensicsEndpoint(Monitor monitor, SqliteHealthProperties properties) {
        // A check asks three connections at most, and may have to wait for one that is running.
        return new SqliteForensicsEndpoint(
                monitor, properties.fullCheck().timeout().multipliedBy(3));
    }

    @Bean
    UnknownKeys sqliteForensicsUnknownKeys() {
        return new UnknownKeys();
    }
}
