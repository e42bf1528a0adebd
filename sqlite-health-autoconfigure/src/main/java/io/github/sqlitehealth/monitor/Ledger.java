package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimonies;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.monitor.MonitorState.Counts;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.RescueState;
import io.github.sqlitehealth.witness.Look;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where testimonies become state. Both threads of the monitor write here; what they write is in memory only, so neither
 * waits for a disk on behalf of the other. Everybody else reads {@link #state()}.
 *
 * <p>Almost all looks find what the one before found, a thousand of them a second where there are as many databases. They
 * are written down and no more: what they amount to is put together when somebody reads.
 */
final class Ledger {

    private final String database;
    private final Path file;
    private final Moment began;
    private final Alarm alarm;
    /** By the ordinal of the check. */
    private final @Nullable Moment[] ticks = new @Nullable Moment[Check.values().length];

    private Map<DatabaseFile, FileFacts> files = Map.of();
    private List<String> dataSources;
    private Testimonies said;
    private Latch latch;
    private Incidents incidents;
    private Map<DatabaseFile, Long> changes = Map.of();
    private @Nullable Pages pages;
    private long transients;
    private long alarms;
    private long snapshotsTaken;
    private List<SnapshotEntry> snapshots = List.of();
    private List<Hazard> hazards = List.of();
    private @Nullable RescueState rescue;

    /** Absent when more has been written down since it was put together. */
    private volatile @Nullable MonitorState state;

    Ledger(Database database, Recalled recalled, Duration patience, Duration alarmRepeatInterval, Moment began) {
        this.dataSources = List.of(database.name());
        this.alarm = new Alarm(alarmRepeatInterval);
        alarm.recall(recalled.latch(), began);
        this.said = Testimonies.none(began, patience);
        this.latch = recalled.latch();
        this.incidents = Incidents.of(recalled.incident(), recalled.incidents());
        this.transients = recalled.transients();
        this.database = database.name();
        this.file = database.file();
        this.began = began;
    }

    MonitorState state() {
        MonitorState present = state;
        return present == null ? publish() : present;
    }

    /**
     * A look at files that are as they were.
     *
     * @return whether nothing follows from it; else nothing has been written down
     */
    synchronized boolean lookedAgain(Testimony identity, Testimony locks, Look look) {
        boolean quiet = latch == Latch.OPEN
                && incidents.open() == null
                && look.files() == files
                && !identity.because(Reason.NOT_YET)
                && sameAs(said.identity(), identity)
                && sameAs(said.locks(), locks)
                && !said.silent(identity.at());
        if (quiet) {
            said = said.withIdentity(identity).withLocks(locks);
            ticks[Check.IDENTITY.ordinal()] = identity.at();
            state = null;
        }
        return quiet;
    }

    private static boolean sameAs(@Nullable Testimony before, Testimony now) {
        return before != null && before.says() == now.says() && before.reason() == now.reason();
    }

    synchronized Change looked(
            Testimony identity, Testimony locks, Look look, Map<DatabaseFile, Long> changes, Moment now) {
        MonitorState before = state();
        said = said.withIdentity(identity).withLocks(locks);
        if (identity.because(Reason.NOT_YET)) {
            said = said.excused(now);
        }
        this.changes = changes;
        this.files = look.files();
        ticks[Check.IDENTITY.ordinal()] = now;
        return update(before, now, false);
    }

    synchronized Change heardQuick(Hearing hearing, @Nullable Pages pages, Moment now) {
        MonitorState before = state();
        said = said.withQuick(hearing);
        Testimony live = hearing.live();
        if (live != null && live.says() == Answer.TRANSIENT) {
            transients++;
        }
        this.pages = pages == null ? this.pages : pages;
        ticks[Check.QUICK.ordinal()] = now;
        return update(before, now, true);
    }

    synchronized Change heardFull(Hearing hearing, Moment now) {
        MonitorState before = state();
        said = said.withFull(hearing);
        ticks[Check.FULL.ordinal()] = now;
        return update(before, now, true);
    }

    synchronized Change heardWrites(Testimony writes, Moment now) {
        MonitorState before = state();
        said = said.withWrites(writes);
        ticks[Check.WRITES.ordinal()] = now;
        return update(before, now, false);
    }

    /** Whether the passing of time can change anything: something holds, or there has been silence. */
    synchronized boolean isDue(Moment now) {
        return latch != Latch.OPEN || said.silent(now);
    }

    /** Time has passed. */
    synchronized Change pulse(Moment now) {
        MonitorState before = state();
        return update(before, now, false);
    }

    /** An incident begins with the first testimony that is not OK, before it is known what it amounts to. */
    synchronized void begin(Moment now) {
        Incidents begun = incidents.begun(now);
        if (begun != incidents) {
            incidents = begun;
            publish();
        }
    }

    synchronized void keeps(List<SnapshotEntry> entries, boolean taken) {
        snapshots = entries;
        snapshotsTaken += taken ? 1 : 0;
        publish();
    }

    /** Hazards touch neither verdict nor incident. */
    synchronized void found(List<Hazard> hazards) {
        this.hazards = hazards;
        publish();
    }

    /** Neither does what is done for the rows. */
    synchronized void rescued(@Nullable RescueState rescue) {
        this.rescue = rescue;
        publish();
    }

    synchronized void resume(Moment now) {
        said = said.excused(now);
        publish();
    }

    synchronized void join(String dataSource) {
        List<String> joined = new ArrayList<>(dataSources);
        joined.add(dataSource);
        dataSources = List.copyOf(joined);
        publish();
    }

    synchronized void part(String dataSource) {
        dataSources =
                dataSources.stream().filter(name -> !name.equals(dataSource)).toList();
        publish();
    }

    /**
     * @param before what was known before the news
     * @param judged whether a check has come to its end, and with it an incident that has no verdict yet
     */
    private Change update(MonitorState before, Moment now, boolean judged) {
        latch = latch.next(said, now);
        incidents = incidents.after(latch, now, judged);
        List<AlarmLine> lines = alarm.listen(latch, now);
        alarms += lines.size();
        return new Change(before, publish(), lines);
    }

    private Map<Check, Moment> ticks() {
        Map<Check, Moment> known = new EnumMap<>(Check.class);
        for (Check check : Check.values()) {
            Moment last = ticks[check.ordinal()];
            if (last != null) {
                known.put(check, last);
            }
        }
        return known;
    }

    private synchronized MonitorState publish() {
        MonitorState published = new MonitorState(
                database,
                dataSources,
                file,
                began,
                said,
                latch,
                incidents.open(),
                incidents.ended(),
                ticks(),
                new Counts(transients, alarms, snapshotsTaken, changes),
                files,
                pages,
                snapshots,
                hazards,
                rescue);
        state = published;
        return published;
    }
}
