package io.github.sqlitehealth.benchmark;

import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.SqliteDatabases;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.Banner;
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
    private static final Duration WARM_UP = Duration.ofSeconds(Integer.getInteger("benchmark.warmup", 60));
    private static final Duration MEASURED = Duration.ofSeconds(Integer.getInteger("benchmark.seconds", 60));

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
                .bannerMode(Banner.Mode.OFF)
                .properties("logging.level.root=off", "sqlite.health.quick-check.initial-delay=0s")
                .run("--sqlite.health.metrics.only-unhealthy=" + onlyUnhealthy)) {
            SqliteDatabases databases = context.getBean(SqliteDatabases.class);
            Monitor monitor = context.getBean(Monitor.class);
            // Classes, caches and the sizes of tables that the first round needs are there already for every other one.
            register(tenants, databases, monitor);
            tenants.keySet().forEach(databases::remove);
            long heapBefore = heap();
            long descriptorsBefore = descriptors();
            long start = System.nanoTime();
            register(tenants, databases, monitor);
            double registered = (System.nanoTime() - start) / 1e9;
            long heap = heap() - heapBefore;
            Watching watching = Watching.measure(tenants.values().stream()
                    .map(each -> Path.of(each.getUrl().substring("jdbc:sqlite:".length())))
                    .toList());
            long threads = WatchedApplication.threads().length;
            long open = descriptors() - descriptorsBefore;
            start = System.nanoTime();
            tenants.keySet().forEach(databases::remove);
            double removed = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%d databases, meters %s: registered and checked in %.1f s, heap %d bytes each, watch %.2f %% of a core"
                            + " (%.1f stats a database and second), %d threads, %d descriptors;"
                            + " removed in %.1f s, then heap %d bytes each, %d descriptors, %d meters%n",
                    DATABASES,
                    onlyUnhealthy ? "only of unhealthy ones" : "of all",
                    registered,
                    heap / DATABASES,
                    watching.share(),
                    watching.stats(),
                    threads,
                    open,
                    removed,
                    (heap() - heapBefore) / DATABASES,
                    descriptors() - descriptorsBefore,
                    context.getBean(MeterRegistry.class).getMeters().size());
        }
    }

    private static void register(Map<String, SQLiteDataSource> tenants, SqliteDatabases databases, Monitor monitor) {
        tenants.forEach(databases::add);
        await().atMost(Duration.ofMinutes(4))
                .until(() -> monitor.databases().stream()
                                .filter(each -> each.state().ticks().containsKey(Check.QUICK))
                                .count()
                        == tenants.size());
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

    /**
     * What the watch costs.
     *
     * @param share of a core, in percent
     * @param stats the same in units that a busy or slow machine does not change: how many stats of a file the benchmark
     *     itself can do in the CPU time that the watch spends a second, divided by the number of databases
     */
    private record Watching(double share, double stats) {

        static Watching measure(List<Path> files) throws Exception {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long id = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("sqlite-health-watch"))
                    .findFirst()
                    .orElseThrow()
                    .getId();
            Thread.sleep(WARM_UP.toMillis());
            long bare = 0;
            long cpu = threads.getThreadCpuTime(id);
            long start = System.nanoTime();
            int rounds = 0;
            for (; System.nanoTime() - start < MEASURED.toNanos(); rounds++) {
                Thread.sleep(1_000);
                long before = threads.getCurrentThreadCpuTime();
                for (Path file : files) {
                    Files.readAttributes(file, BasicFileAttributes.class);
                }
                bare += threads.getCurrentThreadCpuTime() - before;
            }
            double share = (double) (threads.getThreadCpuTime(id) - cpu) / (System.nanoTime() - start);
            return new Watching(100 * share, share * 1e9 / ((double) bare / rounds));
        }
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
