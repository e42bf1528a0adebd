package io.github.sqlitehealth.benchmark;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** An application whose threads overwrite rows of a database, one small transaction after the other. */
final class BusyApplication {

    /** What came of some time of writing. */
    record Outcome(double seconds, long commits, long busy, double checking, long quick, long full) {

        static final Outcome NONE = new Outcome(0, 0, 0, 0, 0, 0);

        Outcome plus(Outcome other) {
            return new Outcome(
                    seconds + other.seconds,
                    commits + other.commits,
                    busy + other.busy,
                    checking + other.checking,
                    quick + other.quick,
                    full + other.full);
        }

        double rate() {
            return commits / seconds;
        }
    }

    private final Path database;
    private final int busyTimeout;
    private final int writers;
    private final LongAdder commits = new LongAdder();
    private final LongAdder busy = new LongAdder();
    private volatile boolean ended;

    BusyApplication(Path database, int busyTimeout, int writers) {
        this.database = database;
        this.busyTimeout = busyTimeout;
        this.writers = writers;
    }

    Outcome run(Duration time, Duration warmUp, String... properties) throws Exception {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(Map.of("database", database.toString(), "busy-timeout", busyTimeout));
        List<Thread> threads = new ArrayList<>();
        try (ConfigurableApplicationContext context = builder.run(properties)) {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            for (int i = 0; i < writers; i++) {
                int number = i;
                Thread thread = new Thread(() -> write(pool, number), "writer-" + i);
                thread.start();
                threads.add(thread);
            }
            Thread.sleep(warmUp.toMillis());
            Outcome before = now(0, meters);
            long start = System.nanoTime();
            Thread.sleep(time.toMillis());
            Outcome after = now((System.nanoTime() - start) / 1e9, meters);
            ended = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return new Outcome(
                    after.seconds(),
                    after.commits() - before.commits(),
                    after.busy() - before.busy(),
                    after.checking() - before.checking(),
                    after.quick() - before.quick(),
                    after.full() - before.full());
        }
    }

    private Outcome now(double seconds, MeterRegistry meters) {
        return new Outcome(
                seconds,
                commits.sum(),
                busy.sum(),
                checks(meters, "quick").stream()
                                .mapToDouble(each -> each.totalTime(TimeUnit.SECONDS))
                                .sum()
                        + checks(meters, "full").stream()
                                .mapToDouble(each -> each.totalTime(TimeUnit.SECONDS))
                                .sum(),
                checks(meters, "quick").stream()
                        .filter(each -> "live".equals(each.getId().getTag("witness")))
                        .mapToLong(Timer::count)
                        .sum(),
                checks(meters, "full").stream().mapToLong(Timer::count).sum());
    }

    private static List<Timer> checks(MeterRegistry meters, String check) {
        return List.copyOf(
                meters.find("sqlite.health.check").tag("check", check).timers());
    }

    private void write(HikariDataSource pool, int number) {
        long row = number * 1_000L;
        while (!ended) {
            row = (row + 7_919) % 100_000;
            try (Connection connection = pool.getConnection();
                    PreparedStatement update = connection.prepareStatement("update t set n = n + 1 where id = ?")) {
                update.setLong(1, row + 1);
                update.executeUpdate();
                commits.increment();
            } catch (SQLException ex) {
                if ((ex.getErrorCode() & 0xff) != 5) {
                    throw new IllegalStateException(ex);
                }
                busy.increment();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        HikariDataSource dataSource(Environment environment) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl("jdbc:sqlite:" + environment.getRequiredProperty("database"));
            config.addDataSourceProperty("busy_timeout", environment.getRequiredProperty("busy-timeout"));
            config.addDataSourceProperty("synchronous", "NORMAL");
            return new HikariDataSource(config);
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }
}
