package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.actuate.VerdictEvents;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.monitor.BackupSettings;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.monitor.SqliteDatabases;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.recovery.DatabaseRebuilder;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.Timepiece;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.sqlite.SQLiteConnection;

/** Auto-configuration of the monitor of SQLite databases. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({DataSource.class, SQLiteConnection.class})
@ConditionalOnProperty(name = "sqlite.health.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SqliteHealthProperties.class)
public final class SqliteHealthAutoConfiguration {

    SqliteHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    DataSourceBeans sqliteHealthDataSources(
            ConfigurableListableBeanFactory beanFactory, SqliteHealthProperties properties) {
        return new DataSourceBeans(beanFactory, properties.exclude());
    }

    @Bean
    @ConditionalOnMissingBean
    Timepiece sqliteHealthTimepiece() {
        return Timepiece.system();
    }

    @Bean
    @ConditionalOnMissingBean
    DataSourceDiscovery sqliteHealthDiscovery(DataSourceBeans dataSources, StartGate gate, Timepiece timepiece) {
        return new DataSourceDiscovery(dataSources, gate::created, timepiece);
    }

    @Bean
    static StartGate sqliteHealthStartGate(ObjectProvider<StartRules> rules, ListableBeanFactory beanFactory) {
        return new StartGate(rules, beanFactory);
    }

    @Bean
    @ConditionalOnMissingBean
    StartRules sqliteHealthStartRules(
            SqliteHealthProperties properties, Timepiece timepiece, ObjectProvider<DatabaseRebuilder> rebuilders) {
        return new StartRules(properties, settings(properties), timepiece, rebuilders);
    }

    @Bean
    @ConditionalOnMissingBean
    SqliteDatabases sqliteDatabases(DataSourceDiscovery discovery, Monitor monitor) {
        return new RuntimeDatabases(discovery, monitor);
    }

    @Bean
    @ConditionalOnMissingBean
    Monitor sqliteHealthMonitor(
            SqliteHealthProperties properties,
            DataSourceDiscovery discovery,
            Timepiece timepiece,
            ObjectProvider<MonitorListener> listeners) {
        return new Monitor(
                settings(properties),
                discovery,
                new MonitorListeners(listeners.orderedStream().toList()),
                timepiece,
                new OwnDescriptors(),
                new Holders(),
                new Volumes());
    }

    @Bean
    @ConditionalOnMissingBean
    MonitorLifecycle sqliteHealthMonitorLifecycle(Monitor monitor) {
        return new MonitorLifecycle(monitor);
    }

    @Bean
    @ConditionalOnMissingBean
    VerdictEvents sqliteHealthVerdictEvents(ApplicationEventPublisher publisher, Timepiece timepiece) {
        return new VerdictEvents(publisher, timepiece.clock());
    }

    /** HikariCP may be absent. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HikariDataSource.class)
    static class HikariConfiguration {

        @Bean
        static HikariErrorTap sqliteHealthHikariErrorTap(ObjectProvider<Timepiece> timepiece) {
            return new HikariErrorTap(timepiece);
        }
    }

    private static Settings settings(SqliteHealthProperties properties) {
        SqliteHealthProperties.QuickCheck quick = properties.quickCheck();
        SqliteHealthProperties.Snapshots snapshots = properties.snapshots();
        SqliteHealthProperties.Backup backup = properties.backup();
        SqliteHealthProperties.Stranded stranded = properties.stranded();
        Check first = switch (properties.startup().check()) {
            case NONE -> null;
            case QUICK -> Check.QUICK;
            case FULL -> Check.FULL;
        };
        return new Settings(
                properties.identityWatch().interval(),
                properties.identityWatch().initialDelay(),
                properties.identityWatch().events(),
                quick.interval(),
                quick.initialDelay(),
                quick.timeout(),
                quick.retries(),
                quick.liveBudget(),
                properties.fullCheck().interval(),
                properties.fullCheck().timeout(),
                properties.maxCheckLoad(),
                properties.anchor().enabled(),
                new ContentRules(
                        properties.content().requiredTables(),
                        properties.content().rowFloors()),
                properties.fullCheck().derivedIndexes(),
                properties.confused().evict(),
                properties.alarm().repeatInterval(),
                properties.effectiveStaleAfter(),
                first,
                snapshots.directory(),
                snapshots.maxCount(),
                snapshots.maxSize().toBytes(),
                snapshots.holdersTimeout(),
                new BackupSettings(
                        backup.enabled(), backup.interval(), backup.directory(), backup.keep(), backup.timeout()),
                new Settings.WhileStranded(
                        stranded.freeze(),
                        stranded.rescue(),
                        stranded.rescueMaxSize().toBytes(),
                        stranded.halt()));
    }
}
