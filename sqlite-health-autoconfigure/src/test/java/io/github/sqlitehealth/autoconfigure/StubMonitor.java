package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.monitor.BackupSettings;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Monitors that an application builds itself. */
final class StubMonitor {

    private StubMonitor() {}

    static Monitor of(Map<String, DataSource> dataSources) {
        return of(dataSources, new MonitorListener() {}, Path.of("/proc"), "lsof");
    }

    /** One that sees the system as it is told to. */
    static Monitor of(Map<String, DataSource> dataSources, MonitorListener listener, Path proc, String lsof) {
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        dataSources.forEach(factory::registerSingleton);
        return new Monitor(
                settings(),
                new DataSourceDiscovery(new DataSourceBeans(factory, List.of()), file -> false, Timepiece.system()),
                listener,
                Timepiece.system(),
                new OwnDescriptors(proc),
                new Holders(proc, lsof),
                new Volumes());
    }

    private static Settings settings() {
        return new Settings(
                Duration.ofMillis(50),
                Duration.ZERO,
                true,
                Duration.ofMillis(100),
                Duration.ZERO,
                Duration.ofSeconds(30),
                2,
                Duration.ofSeconds(1),
                Duration.ofHours(24),
                Duration.ofMinutes(10),
                1,
                true,
                ContentRules.NONE,
                List.of(),
                false,
                Duration.ofMinutes(30),
                Duration.ofMinutes(10),
                Check.QUICK,
                null,
                200,
                1 << 20,
                Duration.ofSeconds(2),
                BackupSettings.OFF,
                new Settings.WhileStranded(true, true, 2L << 30, false));
    }
}
