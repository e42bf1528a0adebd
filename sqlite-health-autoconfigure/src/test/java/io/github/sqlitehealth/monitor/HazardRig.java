package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.actuate.SqliteHealthIndicator;
import io.github.sqlitehealth.actuate.SqliteHealthMetrics;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.HikariHandles;
import io.github.sqlitehealth.witness.Timepiece;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** A pool on a real file, the monitor with all its faces beside it, and a short minute. */
final class HazardRig implements AutoCloseable {

    private static final Duration MINUTE = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String name = "rig-" + NUMBER.incrementAndGet();
    private final Path file;
    private final HikariDataSource pool;
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Monitor monitor;
    private final SqliteHealthIndicator indicator;

    /** What may differ from the usual. */
    static final class Setup {
        String url = "?journal_mode=WAL&synchronous=NORMAL";
        String sqliteVersion = "3.53.4";
        Volumes volumes = new Volumes();
        MappedFiles mapped = new MappedFiles();
        Duration quickInterval = Duration.ofMillis(200);
    }

    HazardRig(Path file) throws SQLException {
        this(file, new Setup());
    }

    HazardRig(Path file, Setup setup) throws SQLException {
        this.file = file;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + file + setup.url);
        config.setMaximumPoolSize(2);
        this.pool = new HikariDataSource(config);
        execute("CREATE TABLE IF NOT EXISTS t(x)", "INSERT INTO t VALUES (1)");
        ((Logger) LoggerFactory.getLogger("io.github.sqlitehealth.hazard")).setLevel(Level.INFO);
        log.start();
        logger().setLevel(Level.INFO); // whatever the other tests want to see
        logger().addAppender(log);
        Database database =
                new Database(name, file, false, setup.sqliteVersion, null, grow -> new HikariHandles(pool, grow));
        this.monitor = new Monitor(
                settings(setup.quickInterval),
                new Once(database),
                new SqliteHealthMetrics(registry, false),
                Timepiece.system(),
                new OwnDescriptors(),
                new Holders(),
                setup.volumes,
                setup.mapped,
                MINUTE);
        this.indicator = new SqliteHealthIndicator(name, monitor, Map.of());
        monitor.start();
        await().atMost(PATIENCE).until(() -> checked());
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.github.sqlitehealth.hazard");
    }

    private record Once(List<Database> found) implements Discovery {

        Once(Database database) {
            this(new ArrayList<>(List.of(database)));
        }

        @Override
        public List<Database> discover() {
            List<Database> now = List.copyOf(found);
            found.clear();
            return now;
        }

        @Override
        public Map<String, String> notWatched() {
            return Map.of();
        }

        @Override
        public boolean complete() {
            return found.isEmpty();
        }
    }

    private static Settings settings(Duration quickInterval) {
        return new Settings(
                Duration.ofMillis(50),
                Duration.ZERO,
                true,
                quickInterval,
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
                Duration.ofMinutes(30),
                Check.QUICK,
                null,
                200,
                64 << 20,
                Duration.ofSeconds(2),
                BackupSettings.OFF,
                new Settings.WhileStranded(true, true, 2L << 30, false));
    }

    private boolean checked() {
        return monitor.database(name)
                .map(found -> found.state().ticks().containsKey(Check.QUICK))
                .orElse(false);
    }

    void execute(String... statements) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    /** Named in health, metric and one line of the log, and nothing else has changed. */
    String appears(HazardKind kind) {
        await(kind + " appears").atMost(PATIENCE).until(() -> metric(kind) == 1);
        assertThat(hazards()).containsKey(kind.key());
        String text = hazards().get(kind.key());
        assertThat(text).contains("; what to do: " + kind.action());
        assertThat(lines(Level.WARN, kind)).singleElement().satisfies(line -> {
            assertThat(line).matches("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z sqlite-health: hazard .*");
            assertThat(line)
                    .contains("hazard " + kind.key() + " [" + name + "]: ")
                    .contains(file.toString());
        });
        assertThat(lines(Level.INFO, kind)).isEmpty();
        statusIsUnchanged();
        return text;
    }

    /** The looks go on, and no second line comes. */
    void staysWithoutAnotherLine(HazardKind kind) throws Exception {
        someLooksLater();
        assertThat(metric(kind)).isEqualTo(1);
        assertThat(lines(Level.WARN, kind)).hasSize(1);
    }

    void goes(HazardKind kind) {
        await(kind + " goes").atMost(PATIENCE).until(() -> metric(kind) == 0);
        await().atMost(PATIENCE).until(() -> lines(Level.INFO, kind).size() == 1);
        assertThat(hazards()).doesNotContainKey(kind.key());
        assertThat(lines(Level.INFO, kind))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("hazard " + kind.key() + " is over [" + name + "]: "));
        assertThat(lines(Level.WARN, kind)).hasSize(1);
        statusIsUnchanged();
    }

    void noHazards() throws Exception {
        someLooksLater();
        assertThat(hazards()).isEmpty();
        assertThat(log.list.stream().filter(this::isOurs)).isEmpty();
        for (HazardKind kind : HazardKind.values()) {
            assertThat(metric(kind)).as(kind.key()).isZero();
        }
        statusIsUnchanged();
    }

    /** Two whole rounds of the check thread: one that began before this call does not count. */
    private void someLooksLater() throws Exception {
        for (int i = 0; i < 2; i++) {
            monitor.database(name).orElseThrow().check(Check.QUICK).get();
            long begun = System.nanoTime();
            await().atMost(PATIENCE).until(() -> System.nanoTime() - begun > 3 * MINUTE.toNanos());
        }
    }

    private void statusIsUnchanged() {
        Health health = indicator.health();
        assertThat(health.getStatus()).as("%s", health.getDetails()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("verdict", "HEALTHY");
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> hazards() {
        List<Map<String, String>> shown =
                (List<Map<String, String>>) indicator.health().getDetails().get("hazards");
        return shown.stream()
                .collect(java.util.stream.Collectors.toMap(each -> each.get("name"), each -> each.get("text")));
    }

    private double metric(HazardKind kind) {
        Gauge gauge = registry.get("sqlite.health.hazard")
                .tags("database", name, "hazard", kind.key())
                .gauge();
        return gauge.value();
    }

    private List<String> lines(Level level, HazardKind kind) {
        return List.copyOf(log.list).stream()
                .filter(this::isOurs)
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains("hazard " + kind.key() + " "))
                .toList();
    }

    private boolean isOurs(ILoggingEvent event) {
        return event.getFormattedMessage().contains("[" + name + "]");
    }

    @Override
    public void close() {
        monitor.stop();
        pool.close();
        logger().detachAppender(log);
    }
}
