package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.MonitorState.Counts;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
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

/** The meters of one database. What is not known is NaN, never 0. */
final class DatabaseMeters {

    static final String DATABASE = "database";

    /** The checks whose age tells whether the monitor is alive. */
    private static final List<Check> AGING = List.of(Check.IDENTITY, Check.QUICK, Check.FULL);

    private final WatchedDatabase database;
    private final MeterRegistry registry;
    private final Tags tags;
    private final Set<Meter> registered = ConcurrentHashMap.newKeySet();
    private final Map<Answered, Timer> timers = new ConcurrentHashMap<>();
    private final Set<String> errors = ConcurrentHashMap.newKeySet();
    private volatile boolean removed;

    DatabaseMeters(WatchedDatabase database, MeterRegistry registry) {
        this.database = database;
        this.registry = registry;
        this.tags = Tags.of(DATABASE, database.name());
        seconds(SqliteMeter.LATCH_DURATION, tags, DatabaseMeters::latchDuration);
        for (Verdict verdict : Verdict.values()) {
            gauge(SqliteMeter.VERDICT, null, tags.and("verdict", verdict.name()), watched -> holds(watched, verdict));
        }
        for (HazardKind hazard : HazardKind.values()) {
            gauge(SqliteMeter.HAZARD, null, tags.and("hazard", hazard.key()), watched -> holds(watched, hazard));
        }
        for (Check check : AGING) {
            seconds(
                    SqliteMeter.TICK_AGE,
                    tags.and("check", check.key()),
                    watched -> watched.state().tickAge(check, watched.now()));
        }
        for (DatabaseFile file : DatabaseFile.values()) {
            Tags fileTags = tags.and("file", file.key());
            gauge(
                    SqliteMeter.INODE_CHANGES,
                    null,
                    fileTags,
                    watched -> watched.state().counts().changes().getOrDefault(file, 0L));
            gauge(
                    SqliteMeter.FILE_SIZE,
                    "bytes",
                    fileTags,
                    watched -> size(watched.state().files().get(file)));
        }
        gauge(SqliteMeter.PAGES, null, tags, watched -> pages(watched.state().pages(), Pages::all));
        gauge(
                SqliteMeter.FREELIST_PAGES,
                null,
                tags,
                watched -> pages(watched.state().pages(), Pages::free));
        count(SqliteMeter.TRANSIENTS, tags, watched -> counts(watched).transients());
        count(SqliteMeter.ALARMS, tags, watched -> counts(watched).alarms());
        count(SqliteMeter.SNAPSHOTS, tags, watched -> counts(watched).snapshots());
    }

    WatchedDatabase database() {
        return database;
    }

    /** Which errors of statements there are is known only when they come. */
    void countErrors() {
        for (String code : database.applicationErrors().keySet()) {
            if (errors.add(code)) {
                count(
                        SqliteMeter.APPLICATION_ERRORS,
                        tags.and("code", code),
                        watched -> watched.applicationErrors().getOrDefault(code, 0L));
            }
        }
    }

    /** How long a witness took to answer. */
    void record(Testimony said) {
        timers.computeIfAbsent(new Answered(said.check(), said.witness(), said.says()), this::timer)
                .record(said.took());
    }

    private Timer timer(Answered answered) {
        return remember(Timer.builder(SqliteMeter.CHECK.meterName())
                .description(SqliteMeter.CHECK.description())
                .tags(tags)
                .tag("check", answered.check().key())
                .tag("witness", answered.witness().key())
                .tag("answer", answered.says().name())
                .register(registry));
    }

    private record Answered(Check check, Witness witness, Answer says) {}

    /** Takes a meter of this database into account, so that it goes with the others. */
    private <M extends Meter> M remember(M meter) {
        registered.add(meter);
        if (removed) {
            // A witness was heard while the database was removed.
            registry.remove(meter);
        }
        return meter;
    }

    void remove() {
        removed = true;
        registered.forEach(registry::remove);
    }

    private static Duration latchDuration(WatchedDatabase watched) {
        return MonitorState.latchedFor(watched.state().latchAt(watched.now()), watched.now());
    }

    private static double holds(WatchedDatabase watched, Verdict verdict) {
        return watched.state().latchAt(watched.now()).verdict() == verdict ? 1 : 0;
    }

    private static double holds(WatchedDatabase watched, HazardKind hazard) {
        return watched.state().hazards().stream().anyMatch(found -> found.name().equals(hazard.key())) ? 1 : 0;
    }

    private static double size(@Nullable FileFacts facts) {
        return facts == null ? Double.NaN : facts.size();
    }

    private static double pages(@Nullable Pages pages, ToDoubleFunction<Pages> part) {
        return pages == null ? Double.NaN : part.applyAsDouble(pages);
    }

    private static Counts counts(WatchedDatabase watched) {
        return watched.state().counts();
    }

    private void seconds(SqliteMeter meter, Tags tags, Function<WatchedDatabase, Duration> value) {
        gauge(meter, "seconds", tags, watched -> value.apply(watched).toNanos() / 1e9);
    }

    private void gauge(SqliteMeter meter, @Nullable String unit, Tags tags, ToDoubleFunction<WatchedDatabase> value) {
        remember(Gauge.builder(meter.meterName(), database, value)
                .description(meter.description())
                .baseUnit(unit)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    private void count(SqliteMeter meter, Tags tags, ToDoubleFunction<WatchedDatabase> value) {
        remember(FunctionCounter.builder(meter.meterName(), database, value)
                .description(meter.description())
                .tags(tags)
                .register(registry));
    }
}
