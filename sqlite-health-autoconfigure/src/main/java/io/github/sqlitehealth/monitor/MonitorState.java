package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimonies;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.RescueState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is known about one database at one moment. This is what requests and scrapes read: immutable, and never more
 * than a field access away.
 *
 * @param database its name
 * @param dataSources the beans that use it
 * @param file its main file
 * @param began when the watching began
 * @param said the latest testimonies
 * @param latch what holds
 * @param incident the open one, absent when none is
 * @param incidents those that ended, oldest first
 * @param ticks when each check last came to an end; a check that never did has no entry
 * @param counts what has been counted
 * @param files at the last look
 * @param pages what the last connection that was asked said of the size, absent when none could say
 * @param snapshots oldest first
 * @param hazards what was found at the last look for them
 * @param rescue how the rows of a stranded process fare; absent when this one has never been, or is no longer and has no copy
 */
public record MonitorState(
        String database,
        List<String> dataSources,
        Path file,
        Moment began,
        Testimonies said,
        Latch latch,
        @Nullable Incident incident,
        List<Incident> incidents,
        Map<Check, Moment> ticks,
        Counts counts,
        Map<DatabaseFile, FileFacts> files,
        @Nullable Pages pages,
        List<SnapshotEntry> snapshots,
        List<Hazard> hazards,
        @Nullable RescueState rescue) {

    public MonitorState {
        dataSources = List.copyOf(dataSources);
        incidents = List.copyOf(incidents);
        ticks = Map.copyOf(ticks);
        files = Map.copyOf(files);
        snapshots = List.copyOf(snapshots);
        hazards = List.copyOf(hazards);
    }

    /**
     * What has been counted since the start of the process, the transients since ever.
     *
     * @param changes of each file while this process held it
     */
    public record Counts(long transients, long alarms, long snapshots, Map<DatabaseFile, Long> changes) {

        public Counts {
            changes = Map.copyOf(changes);
        }
    }

    /** The size of a database in pages, and how many of them are unused. */
    public record Pages(long all, long free) {}

    /**
     * What holds now. Asked for by every reader, so that a monitor whose threads have died cannot look like a healthy
     * one: silence is found by whoever looks.
     */
    public Latch latchAt(Moment now) {
        return latch.next(said, now);
    }

    /** How long {@linkplain Latch#verdict() the verdict} has been true; zero when nothing is latched. */
    public static Duration latchedFor(Latch latch, Moment now) {
        Held first = latch.first();
        return first == null || !first.finding().verdict().latches() ? Duration.ZERO : now.since(first.since());
    }

    /** The time since a check last came to an end or, when it never did, since the watching began. */
    public Duration tickAge(Check check, Moment now) {
        return now.since(ticks.getOrDefault(check, began));
    }

    /** The latest testimony of each witness that has been heard; of a second opinion, the latest. */
    public Map<Witness, Testimony> testimonies() {
        Map<Witness, Testimony> latest = new EnumMap<>(Witness.class);
        all().forEach(testimony -> latest.merge(
                testimony.witness(), testimony, (one, other) -> other.at().isAfter(one.at()) ? other : one));
        return latest;
    }

    /** Every testimony that the verdict rests on. */
    public List<Testimony> all() {
        List<Testimony> all = new ArrayList<>();
        add(all, said.identity());
        add(all, said.locks());
        addAll(all, said.quick());
        addAll(all, said.full());
        add(all, said.writes());
        return all;
    }

    private static void addAll(List<Testimony> all, @Nullable Hearing hearing) {
        if (hearing != null) {
            add(all, hearing.live());
            add(all, hearing.fresh());
            add(all, hearing.second());
            add(all, hearing.content());
        }
    }

    private static void add(List<Testimony> all, @Nullable Testimony testimony) {
        if (testimony != null) {
            all.add(testimony);
        }
    }

    /** The verdict that was last published, without a look at the time. */
    public Verdict verdict() {
        return latch.verdict();
    }
}
