package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.MonitorState.Counts;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of one database. What is not known is NaN, never 0. */
final class DatabaseMeters {

    static final String DATABASE = "database";

    /** The checks whose age tells whether the monitor is alive. */
    private static final List<Check> AGING = List.of(Check.IDENTITY, Check.QUICK, Check.FULL);

    private final WatchedDatabase database;
    private final OwnMeters meters;
    private final Tags tags;
    private final Map<Answered, Timer> timers = new ConcurrentHashMap<>();
    private @Nullable Timer backupDuration;
    private final Set<String> errors = ConcurrentHashMap.newKeySet();

    DatabaseMeters(WatchedDatabase database, MeterRegistry registry) {
        this.database = database;
        this.meters = new OwnMeters(database, registry);
        this.tags = Tags.of(DATABASE, database.name());
        meters.seconds(SqliteMeter.LATCH_DURATION, tags, DatabaseMeters::latchDuration);
        for (Verdict verdict : Verdict.values()) {
            meters.gauge(
                    SqliteMeter.VERDICT, null, tags.and("verdict", verdict.name()), watched -> holds(watched, verdict));
        }
        for (HazardKind hazard : HazardKind.values()) {
            meters.gauge(SqliteMeter.HAZARD, null, tags.and("hazard", hazard.key()), watched -> holds(watched, hazard));
        }
        for (Check check : AGING) {
            meters.seconds(
                    SqliteMeter.TICK_AGE,
                    tags.and("check", check.key()),
                    watched -> watched.state().tickAge(check, watched.now()));
        }
        for (DatabaseFile file : DatabaseFile.values()) {
            Tags fileTags = tags.and("file", file.key());
            meters.gauge(
                    SqliteMeter.INODE_CHANGES,
                    null,
                    fileTags,
                    watched -> watched.state().counts().changes().getOrDefault(file, 0L));
            meters.gauge(
                    SqliteMeter.FILE_SIZE,
                    "bytes",
                    fileTags,
                    watched -> size(watched.state().files().get(file)));
        }
        meters.gauge(
                SqliteMeter.PAGES, null, tags, watched -> pages(watched.state().pages(), Pages::all));
        meters.gauge(
                SqliteMeter.FREELIST_PAGES,
                null,
                tags,
                watched -> pages(watched.state().pages(), Pages::free));
        meters.count(SqliteMeter.TRANSIENTS, tags, watched -> counts(watched).transients());
        meters.count(SqliteMeter.ALARMS, tags, watched -> counts(watched).alarms());
        meters.count(SqliteMeter.SNAPSHOTS, tags, watched -> counts(watched).snapshots());
        if (database.backups().state().enabled()) {
            backups();
        }
    }

    private void backups() {
        meters.gauge(SqliteMeter.BACKUP_AGE, "seconds", tags, watched -> {
            Duration age = watched.backups().state().age(watched.now());
            return age == null ? Double.NaN : age.toNanos() / 1e9;
        });
        meters.gauge(SqliteMeter.BACKUP_SIZE, "bytes", tags, watched -> {
            BackupState state = watched.backups().state();
            return state.lastVerified() == null ? Double.NaN : state.bytes();
        });
        meters.count(
                SqliteMeter.BACKUP_FAILURES,
                tags,
                watched -> watched.backups().state().failures());
        backupDuration = meters.timer(SqliteMeter.BACKUP_DURATION, tags);
    }

    /** How long a backup took. */
    void recordBackup(Duration took) {
        if (backupDuration != null) {
            backupDuration.record(took);
        }
    }

    WatchedDatabase database() {
        return database;
    }

    /** Which errors of statements there are is known only when they come. */
    void countErrors() {
        for (String code : database.applicationErrors().keySet()) {
            if (errors.add(code)) {
                meters.count(
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
        return meters.timer(
                SqliteMeter.CHECK,
                tags.and(
                        "check", answered.check().key(),
                        "witness", answered.witness().key(),
                        "answer", answered.says().name()));
    }

    private record Answered(Check check, Witness witness, Answer says) {}

    void remove() {
        meters.remove();
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
}
