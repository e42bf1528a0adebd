package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimonies;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.monitor.MonitorState.Counts;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.witness.Look;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where testimonies become state. Both threads of the monitor write here; what they write is in memory only, so neither
 * waits for a disk on behalf of the other. Everybody else reads {@link #state()}.
 */
final class Ledger {

    private static final int MOST_INCIDENTS = 50;

    private final Alarm alarm;
    private Map<Check, Moment> ticks = Map.of();
    private Map<DatabaseFile, FileFacts> files = Map.of();
    private List<String> dataSources;
    private Testimonies said;
    private Latch latch;
    private @Nullable Incident incident;
    private List<Incident> incidents;
    private Map<DatabaseFile, Long> changes = Map.of();
    private @Nullable Pages pages;
    private long transients;
    private long alarms;
    private long snapshotsTaken;
    private List<SnapshotEntry> snapshots = List.of();
    private List<Hazard> hazards = List.of();

    private volatile MonitorState state;

    Ledger(Database database, Recalled recalled, Duration patience, Duration alarmRepeatInterval, Moment began) {
        this.dataSources = List.of(database.name());
        this.alarm = new Alarm(alarmRepeatInterval);
        alarm.recall(recalled.latch(), began);
        this.said = Testimonies.none(began, patience);
        this.latch = recalled.latch();
        this.incident = recalled.incident();
        this.incidents = recalled.incidents();
        this.transients = recalled.transients();
        this.state = new MonitorState(
                database.name(),
                dataSources,
                database.file(),
                began,
                said,
                latch,
                incident,
                incidents,
                Map.of(),
                new Counts(transients, 0, 0, Map.of()),
                Map.of(),
                null,
                List.of(),
                hazards);
    }

    MonitorState state() {
        return state;
    }

    synchronized Change looked(
            Testimony identity, Testimony locks, Look look, Map<DatabaseFile, Long> changes, Moment now) {
        said = said.withIdentity(identity).withLocks(locks);
        if (identity.because(Reason.NOT_YET)) {
            said = said.excused(now);
        }
        this.changes = changes;
        this.files = look.files();
        tick(Check.IDENTITY, now);
        return update(now, false);
    }

    synchronized Change heardQuick(Hearing hearing, @Nullable Pages pages, Moment now) {
        said = said.withQuick(hearing);
        Testimony live = hearing.live();
        if (live != null && live.says() == Answer.TRANSIENT) {
            transients++;
        }
        this.pages = pages == null ? this.pages : pages;
        tick(Check.QUICK, now);
        return update(now, true);
    }

    synchronized Change heardFull(Hearing hearing, Moment now) {
        said = said.withFull(hearing);
        tick(Check.FULL, now);
        return update(now, true);
    }

    synchronized Change heardWrites(Testimony writes, Moment now) {
        said = said.withWrites(writes);
        tick(Check.WRITES, now);
        return update(now, false);
    }

    private void tick(Check check, Moment now) {
        Map<Check, Moment> next = new EnumMap<>(Check.class);
        next.putAll(ticks);
        next.put(check, now);
        ticks = Map.copyOf(next);
    }

    /** Whether the passing of time can change anything: something holds, or there has been silence. */
    boolean isDue(Moment now) {
        MonitorState present = state;
        return present.latch() != Latch.OPEN || present.latchAt(now) != Latch.OPEN;
    }

    /** Time has passed. */
    synchronized Change pulse(Moment now) {
        return update(now, false);
    }

    /** An incident begins with the first testimony that is not OK, before it is known what it amounts to. */
    synchronized void begin(Moment now) {
        if (incident == null) {
            incident = new Incident("incident-" + now.at().toString().replace(":", ""), now.at(), null, List.of());
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

    /** @param judged whether a check has come to its end, and with it an incident that has no verdict yet */
    private Change update(Moment now, boolean judged) {
        MonitorState before = state;
        Incident open = incident;
        latch = latch.next(said, now);
        if (latch.latched()) {
            continueIncident(now);
        } else if (open != null && (judged || !open.verdicts().isEmpty())) {
            endIncident(open, now);
        }
        List<AlarmLine> lines = alarm.listen(latch, now);
        alarms += lines.size();
        publish();
        return new Change(before, state, lines);
    }

    private void continueIncident(Moment now) {
        Incident open = incident;
        if (open == null) {
            begin(latch.held().stream().map(Held::since).reduce(now, (one, other) -> one.isAfter(other) ? other : one));
            open = incident;
        }
        if (open != null) {
            List<String> verdicts = new ArrayList<>(open.verdicts());
            for (Held held : latch.held()) {
                String verdict = held.finding().verdict().name();
                if (held.finding().verdict().latches() && !verdicts.contains(verdict)) {
                    verdicts.add(verdict);
                }
            }
            incident = new Incident(open.id(), open.since(), null, List.copyOf(verdicts));
        }
    }

    private void endIncident(Incident open, Moment now) {
        incident = null;
        // One that never came to a verdict was a false start.
        if (!open.verdicts().isEmpty()) {
            List<Incident> ended = new ArrayList<>(incidents);
            ended.add(new Incident(open.id(), open.since(), now.at(), open.verdicts()));
            incidents = List.copyOf(ended.subList(Math.max(0, ended.size() - MOST_INCIDENTS), ended.size()));
        }
    }

    private void publish() {
        state = new MonitorState(
                state.database(),
                dataSources,
                state.file(),
                state.began(),
                said,
                latch,
                incident,
                incidents,
                ticks,
                new Counts(transients, alarms, snapshotsTaken, changes),
                files,
                pages,
                snapshots,
                hazards);
    }
}
