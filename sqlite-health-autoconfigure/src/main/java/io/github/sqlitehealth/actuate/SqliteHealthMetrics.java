package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.os.DatabaseFile;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of each database, from the moment in which it is found. A scrape reads memory only. */
public final class SqliteHealthMetrics implements MonitorListener {

    private static final String DATABASE = "database";

    private final MeterRegistry registry;

    private final Map<String, WatchedDatabase> databases = new ConcurrentHashMap<>();

    private final Set<String> errorMeters = ConcurrentHashMap.newKeySet();

    public SqliteHealthMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void added(WatchedDatabase database) {
        databases.put(database.name(), database);
        Tags tags = Tags.of(DATABASE, database.name());
        time(SqliteMeter.LATCH_DURATION, tags, database, SqliteHealthMetrics::latchDuration);
        for (Verdict verdict : Verdict.values()) {
            gauge(
                    SqliteMeter.VERDICT,
                    tags.and("verdict", verdict.name()),
                    database,
                    watched -> verdict == watched.state().latchAt(watched.now()).verdict() ? 1 : 0);
        }
        for (HazardKind hazard : HazardKind.values()) {
            gauge(
                    SqliteMeter.HAZARD,
                    tags.and("hazard", hazard.key()),
                    database,
                    watched -> holds(watched, hazard) ? 1 : 0);
        }
        for (Check check : List.of(Check.IDENTITY, Check.QUICK, Check.FULL)) {
            time(
                    SqliteMeter.TICK_AGE,
                    tags.and("check", check.key()),
                    database,
                    watched -> watched.state().tickAge(check, watched.now()));
        }
        for (DatabaseFile file : DatabaseFile.values()) {
            Tags fileTags = tags.and("file", file.key());
            gauge(
                    SqliteMeter.INODE_CHANGES,
                    fileTags,
                    database,
                    watched -> watched.state().counts().changes().getOrDefault(file, 0L));
            Gauge.builder(SqliteMeter.FILE_SIZE.meterName(), database, watched -> size(watched, file))
                    .description(SqliteMeter.FILE_SIZE.description())
                    .baseUnit("bytes")
                    .tags(fileTags)
                    .strongReference(true)
                    .register(registry);
        }
        gauge(
                SqliteMeter.PAGES,
                tags,
                database,
                watched -> pages(watched.state().pages(), true));
        gauge(
                SqliteMeter.FREELIST_PAGES,
                tags,
                database,
                watched -> pages(watched.state().pages(), false));
        count(SqliteMeter.TRANSIENTS, tags, database, counts -> counts.transients());
        count(SqliteMeter.ALARMS, tags, database, counts -> counts.alarms());
        count(SqliteMeter.SNAPSHOTS, tags, database, counts -> counts.snapshots());
    }

    @Override
    public void heard(String database, Testimony testimony) {
        WatchedDatabase watched = databases.get(database);
        if (watched != null) {
            watched.applicationErrors().keySet().forEach(code -> countErrors(watched, code));
        }
        Timer.builder(SqliteMeter.CHECK.meterName())
                .description(SqliteMeter.CHECK.description())
                .tag(DATABASE, database)
                .tag("check", testimony.check().key())
                .tag("witness", testimony.witness().key())
                .tag("answer", testimony.says().name())
                .register(registry)
                .record(testimony.took());
    }

    /** Which errors there are is known only when they come. */
    private void countErrors(WatchedDatabase database, String code) {
        if (!errorMeters.add(database.name() + " " + code)) {
            return;
        }
        FunctionCounter.builder(
                        SqliteMeter.APPLICATION_ERRORS.meterName(),
                        database,
                        watched -> watched.applicationErrors().getOrDefault(code, 0L))
                .description(SqliteMeter.APPLICATION_ERRORS.description())
                .tag(DATABASE, database.name())
                .tag("code", code)
                .register(registry);
    }

    private static Duration latchDuration(WatchedDatabase database) {
        return MonitorState.latchedFor(database.state().latchAt(database.now()), database.now());
    }

    private static boolean holds(WatchedDatabase database, HazardKind hazard) {
        return database.state().hazards().stream()
                .anyMatch(found -> found.name().equals(hazard.key()));
    }

    /** What is not known is not 0. */
    private static double size(WatchedDatabase database, DatabaseFile file) {
        Long size = database.state().sizes().get(file);
        return size == null ? Double.NaN : size;
    }

    private static double pages(@Nullable Pages pages, boolean all) {
        return pages == null ? Double.NaN : all ? pages.all() : pages.free();
    }

    private void gauge(
            SqliteMeter meter, Tags tags, WatchedDatabase database, ToDoubleFunction<WatchedDatabase> value) {
        Gauge.builder(meter.meterName(), database, value)
                .description(meter.description())
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private void time(
            SqliteMeter meter, Tags tags, WatchedDatabase database, Function<WatchedDatabase, Duration> value) {
        Gauge.builder(
                        meter.meterName(),
                        database,
                        watched -> value.apply(watched).toNanos() / 1e9)
                .description(meter.description())
                .baseUnit("seconds")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private void count(
            SqliteMeter meter, Tags tags, WatchedDatabase database, ToDoubleFunction<MonitorState.Counts> value) {
        FunctionCounter.builder(
                        meter.meterName(),
                        database,
                        watched -> value.applyAsDouble(watched.state().counts()))
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }
}
