package io.github.sqlitehealth.benchmark;

import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.SqliteDatabases;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.sqlite.SQLiteDataSource;

/** Prints what a thousand databases, one for each tenant, cost. Its name keeps it out of the build. */
class ManyDatabasesBenchmark {

    private static final int DATABASES = 1_000;

    @TempDir
    Path folder;

    @Test
    void aThousandDatabases() throws Exception {
        Map<String, SQLiteDataSource> tenants = tenants();
        for (boolean onlyUnhealthy : new boolean[] {true, false}) {
            measure(tenants, onlyUnhealthy);
        }
    }

    private void measure(Map<String, SQLiteDataSource> tenants, boolean onlyUnhealthy) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("logging.level.root=off", "sqlite.health.quick-check.initial-delay=0s")
                .run("--sqlite.health.metrics.only-unhealthy=" + onlyUnhealthy)) {
            SqliteDatabases databases = context.getBean(SqliteDatabases.class);
            Monitor monitor = context.getBean(Monitor.class);
            long heapBefore = heap();
            long descriptorsBefore = descriptors();
            tenants.forEach(databases::add);
            await().atMost(Duration.ofMinutes(4))
                    .until(() -> monitor.databases().stream()
                                    .filter(each -> each.state().ticks().containsKey(Check.QUICK))
                                    .count()
                            == DATABASES);
            long heap = heap() - heapBefore;
            double share = watchShare(Duration.ofSeconds(20));
            long threads = WatchedApplication.threads().length;
            long open = descriptors() - descriptorsBefore;
            tenants.keySet().forEach(databases::remove);
            System.out.printf(
                    "%d databases, meters %s: heap %d bytes each, watch %.2f %% of a core, %d threads, %d descriptors;"
                            + " after removal: heap %d bytes each, %d descriptors, %d meters%n",
                    DATABASES,
                    onlyUnhealthy ? "only of unhealthy ones" : "of all",
                    heap / DATABASES,
                    share,
                    threads,
                    open,
                    (heap() - heapBefore) / DATABASES,
                    descriptors() - descriptorsBefore,
                    context.getBean(MeterRegistry.class).getMeters().size());
        }
    }

    private Map<String, SQLiteDataSource> tenants() throws Exception {
        Map<String, SQLiteDataSource> tenants = new LinkedHashMap<>();
        for (int i = 0; i < DATABASES; i++) {
            Path tenant = Files.createDirectory(folder.resolve("tenant-" + i));
            SQLiteDataSource dataSource = new SQLiteDataSource();
            dataSource.setUrl("jdbc:sqlite:" + tenant.resolve("app.db"));
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("pragma journal_mode = wal");
                statement.execute("create table orders (id integer primary key, text text)");
                statement.execute("insert into orders (text) values ('one')");
            }
            tenants.put("tenant-" + i, dataSource);
        }
        return tenants;
    }

    private static double watchShare(Duration time) throws InterruptedException {
        long id = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sqlite-health-watch"))
                .findFirst()
                .orElseThrow()
                .getId();
        var threads = ManagementFactory.getThreadMXBean();
        Thread.sleep(Duration.ofSeconds(10).toMillis());
        long cpu = threads.getThreadCpuTime(id);
        long start = System.nanoTime();
        Thread.sleep(time.toMillis());
        return 100.0 * (threads.getThreadCpuTime(id) - cpu) / (System.nanoTime() - start);
    }

    private static long heap() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long descriptors() throws java.io.IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }
}
