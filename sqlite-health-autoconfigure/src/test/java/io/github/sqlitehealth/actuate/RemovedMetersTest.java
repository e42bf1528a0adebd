package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimonies;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.DatabaseBackups;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A database is removed by one thread while the others go on hearing of it. */
class RemovedMetersTest {

    private static final DatabaseBackups BACKUPS = (DatabaseBackups) Proxy.newProxyInstance(
            DatabaseBackups.class.getClassLoader(),
            new Class<?>[] {DatabaseBackups.class},
            (self, method, arguments) ->
                    method.getName().equals("state") ? new BackupState(true, null, 0, null, null, 0) : null);

    private final FakeTime time = new FakeTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SqliteHealthMetrics metrics = new SqliteHealthMetrics(registry, false);
    private Runnable whenNamed = () -> {};

    private final WatchedDatabase database = named();

    private WatchedDatabase named() {
        return (WatchedDatabase) Proxy.newProxyInstance(
                WatchedDatabase.class.getClassLoader(),
                new Class<?>[] {WatchedDatabase.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "name" -> {
                        Runnable work = whenNamed;
                        whenNamed = () -> {};
                        work.run();
                        yield "db";
                    }
                    case "applicationErrors" -> Map.of();
                    case "backups" -> BACKUPS;
                    case "equals" -> self == arguments[0];
                    case "hashCode" -> 1;
                    default -> null;
                });
    }

    @Test
    void aWitnessHeardWhileItsDatabaseIsRemovedLeavesNoMeter() {
        DatabaseMeters meters = new DatabaseMeters(database, registry);
        meters.remove();
        meters.record(said());
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aVerdictThatChangesWhileItsDatabaseIsRemovedLeavesNoMeter() {
        metrics.added(database);
        whenNamed = () -> metrics.removed(database);
        metrics.verdictChanged(state(), state());
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theMetersOfANewDatabaseOfTheSameNameStay() {
        metrics.added(database);
        WatchedDatabase old = named();
        int before = registry.getMeters().size();
        metrics.removed(old);
        assertThat(registry.getMeters()).hasSize(before);
    }

    private Testimony said() {
        return new Testimony(
                Witness.IDENTITY, Check.IDENTITY, Answer.OK, Reason.NONE, "sound", time.now(), Duration.ofMillis(1));
    }

    private MonitorState state() {
        return new MonitorState(
                "db",
                List.of("db"),
                Path.of("app.db"),
                time.now(),
                Testimonies.none(time.now(), Duration.ofMinutes(30)),
                Latch.OPEN,
                null,
                List.of(),
                Map.of(),
                new MonitorState.Counts(0, 0, 0, Map.of()),
                Map.of(),
                null,
                List.of(),
                List.of(),
                null);
    }
}
