package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Retention;
import io.github.sqlitehealth.forensics.SnapshotStore;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.OwnLocks;
import io.github.sqlitehealth.recovery.CorruptMarker;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.DerivedIndexes;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.HeldFiles;
import io.github.sqlitehealth.witness.IdentityWitness;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.LiveWitness;
import io.github.sqlitehealth.witness.LocksWitness;
import io.github.sqlitehealth.witness.ReadLimits;
import io.github.sqlitehealth.witness.Timepiece;
import io.github.sqlitehealth.witness.WritesWitness;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that watches one database. */
final class DatabaseMonitor {

    private static final Logger log = LoggerFactory.getLogger(DatabaseMonitor.class);

    private final Database database;
    private final Timepiece time;
    private final SnapshotStore store;
    private final Memory memory;
    private final Ledger ledger;
    private final Desk desk;
    private final ContentWitness content;
    private final WritesCheck writes;
    private final Anchor anchor;
    private final Stranded stranded;
    private final IdentityCheck identity;
    private final PageChecks checks;
    private final LiveWitness live;
    private final DerivedIndexes indexes;
    private final Attachments attachments;
    private final HazardWatch hazards;
    private final boolean recalledIncident;

    private final Joined joined = new Joined();

    private volatile boolean retired;
    private volatile boolean checking;

    DatabaseMonitor(
            Database database,
            Settings settings,
            ReadLimits limits,
            Retention retention,
            Forensics forensics,
            OwnDescriptors own,
            OwnLocks ownLocks,
            Holders holders,
            MonitorListener listener,
            Timepiece time,
            StrandedFactory stranding,
            Consumer<Database> attached,
            Consumer<String> detached) {
        this.database = database;
        this.time = time;
        ForensicsDirectory directory = settings.forensicsOf(database.name(), database.file());
        this.store = new SnapshotStore(directory, retention, time.clock());
        this.memory = new Memory(directory, database.file(), time.clock());
        Recalled recalled = Recalled.of(memory.recall(), time.now());
        this.recalledIncident = recalled.latch().latched();
        this.ledger = new Ledger(database, recalled, settings.staleAfter(), settings.alarmRepeatInterval(), time.now());
        this.content = new ContentWitness(
                database.file(),
                settings.content().of(database.name()),
                recalled.content().or(() -> database.firstStart() ? Optional.of(Content.NOTHING) : Optional.empty()),
                time);
        recalled.latch().held().stream()
                .map(Held::finding)
                .filter(finding -> finding.verdict() == Verdict.EMPTIED)
                .forEach(finding -> content.stillMissing(finding.text()));
        this.desk = new Desk(database, ledger, forensics, store, memory, content, listener);
        desk.fullCheckDue(recalled.fullCheckDue());
        this.hazards = new HazardWatch(database, directory, ledger, desk, time);
        this.anchor = new Anchor(database.file(), settings.anchor());
        joined.first(database.handles().apply(() -> !stranded()));
        List<LiveHandles> handles = joined.handles();
        HeldFiles held = new HeldFiles(own, holders, anchor::generation);
        IdentityWitness witness = new IdentityWitness(database.file(), held, anchor, recalled.known(), time);
        LocksWitness locks = new LocksWitness(own, ownLocks, anchor, time);
        this.stranded = stranding.of(database, directory, anchor, handles, ledger, desk, witness::last, time);
        this.identity = new IdentityCheck(
                database.name(), witness, locks, anchor, handles, ledger, desk, listener, stranded, time);
        this.writes = new WritesCheck(
                new WritesWitness(database.file(), anchor, time), identity, ledger, desk, listener, time);
        writes.add(database.errors());
        this.live = new LiveWitness(handles, limits, time);
        this.indexes = new DerivedIndexes(
                handles, ContentRules.plain(database.name(), settings.derivedIndexes()), settings.liveBudget());
        this.attachments = new Attachments(database, attached, detached);
        this.checks = new PageChecks(
                settings,
                identity,
                new Readers(live, new FreshWitness(database.file(), time), content, identity, desk, time),
                anchor,
                ledger,
                desk,
                listener,
                time);
    }

    /**
     * The first look, and the anchor after it. Opening the anchor may create sidecars, so the evidence is taken before.
     */
    void begin() {
        identity.lookNow();
        beginWithLook();
    }

    /** The first look has been taken. */
    void beginWithLook() {
        if (!stranded() && !identity.nothingToAsk()) {
            anchor.open();
            // Before the first rows of this run can hide that those of the last one are gone, and so that there is
            // something to compare with before the first check.
            content.ask();
        }
    }

    /**
     * Once more where it could not be opened, or there was no WAL yet: without an anchor there is no rescue copy, and the
     * next check may be far off.
     */
    void openAnchor() {
        if (anchor.isMissing() && Files.exists(DatabaseFile.WAL.beside(database.file()))) {
            working(() -> {
                identity.lookNow();
                if (!stranded() && !identity.nothingToAsk()) {
                    anchor.open();
                }
            });
        }
    }

    /** How the application's connections are set, which may change between two checks. */
    void lookAtConnections() {
        working(() -> {
            if (!stranded()) {
                live.facts().ifPresent(desk::lastLive);
            }
        });
    }

    /** After a stop: that nobody has been asked meanwhile is no sign of trouble. */
    void resume() {
        ledger.resume(time.now());
        stranded.resume();
    }

    /** Another {@code DataSource} uses the same file. */
    void join(Database other) {
        joined.join(other, other.handles().apply(() -> !stranded()));
        writes.add(other.errors());
        ledger.join(other.name());
    }

    /**
     * One of the other {@code DataSource}s leaves; the file is still watched for the rest.
     *
     * @return whether there was one of this name
     */
    boolean part(String name) {
        Database gone = joined.part(name);
        if (gone == null) {
            return false;
        }
        writes.remove(gone.errors());
        ledger.part(name);
        return true;
    }

    /** The other {@code DataSource}s that use the file. */
    List<Database> joined() {
        return joined.others();
    }

    /** Whether a commit has landed since statements failed. */
    void lookAtWrites() {
        working(writes::look);
    }

    /** Whether there are errors that no commit has followed. */
    boolean writesWaiting() {
        return !retired && writes.waiting();
    }

    /** A statement of the application ran into damage or an I/O error: evidence first, then every idle connection. */
    void runAfterFailure() {
        working(() -> {
            desk.snapshot("application-error", identity.last());
            runNow(Check.QUICK);
        });
    }

    void run(Check check) {
        working(() -> runNow(check));
    }

    /** Whoever retires it waits until this has ended. */
    private void working(Runnable work) {
        checking = true;
        try {
            if (!retired) {
                work.run();
            }
        } finally {
            checking = false;
        }
    }

    private void runNow(Check check) {
        writes.look();
        if (check == Check.FULL) {
            checks.full();
            hazards.drifted(indexes.drifted());
        } else {
            checks.quick();
            attachments.update(live);
        }
    }

    /**
     * How long until all pages are to be read. An application that is restarted more often than that would never have its
     * pages read if its restarts did not count in; so what an earlier process had planned stands, and so does the first
     * plan. A plan beyond the interval is that of another setting or of a clock that was wrong. Where a marker says that
     * the database was damaged, only a full check can take it away.
     */
    Duration untilFullCheck(Duration interval) {
        if (CorruptMarker.exists(database.file())) {
            return Duration.ZERO;
        }
        Instant now = time.now().at();
        Instant planned = desk.fullCheckDue();
        if (planned == null || planned.isAfter(now.plus(interval))) {
            planned = now.plus(interval);
            desk.fullCheckDue(planned);
        }
        return planned.isAfter(now) ? Duration.between(now, planned) : Duration.ZERO;
    }

    /** All pages have been read; the next process has to know when they are to be read again. */
    void nextFullCheckIn(Duration rest) {
        desk.fullCheckDue(time.now().at().plus(rest));
        working(desk::remember);
    }

    /** A check that somebody asked for leaves a snapshot, whatever it finds. */
    void runOnRequest(Check check) {
        working(() -> {
            runNow(check);
            desk.snapshot("requested", identity.last());
        });
    }

    void acceptContent() {
        working(() -> {
            content.accept();
            runNow(Check.QUICK);
            desk.remember();
        });
    }

    /** Time has passed: silence may have become too long, and an alarm may be due again. */
    void pulse() {
        Moment now = time.now();
        if (ledger.isDue(now)) {
            Change change = ledger.pulse(now);
            desk.follow(change, identity.last(), now, change.found().isEmpty() ? null : "verdict");
            desk.rememberAgain(now);
        }
    }

    /** How long a writer of a database without WAL can wait, as the last check found. */
    Duration bearable() {
        return live.bearable();
    }

    /** It is watched no longer: no work on it begins any more, and its statements are not heard. */
    void retire() {
        retired = true;
        writes.unlisten();
        if (!stranded.finish()) {
            anchor.retire();
        }
    }

    /** The last work on it has ended: nothing of it stays open. */
    void leave() {
        attachments.detachAll();
        writes.retire();
        close();
    }

    boolean isRetired() {
        return retired;
    }

    boolean isChecking() {
        return checking;
    }

    void lookOnceMore() {
        try {
            identity.lookNow();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The last look at {} failed", database.file(), ex);
        }
    }

    /** Before the pool closes, since whoever closes last has to be able to clean up. */
    void close() {
        lookAtContentOnceMore();
        if (stranded.finish()) {
            LastToLeave.closes(anchor, joined.handles());
        } else {
            anchor.close();
        }
        writes.close();
        desk.remember();
        memory.close();
    }

    /** Rows that have come since the last check are missed by the next process only if it knows of them. */
    private void lookAtContentOnceMore() {
        try {
            if (!stranded() && !identity.nothingToAsk()) {
                content.ask();
            }
        } catch (RuntimeException | LinkageError ex) {
            log.warn("What is in {} cannot be told at the end", database.file(), ex);
        }
    }

    private boolean stranded() {
        return ledger.state().latch().holds(Verdict.STRANDED);
    }

    IdentityCheck identity() {
        return identity;
    }

    /** Whether there is a WAL, which the anchor may have created since the last look. */
    boolean hasWal() {
        return anchor.isOpen() || identity.last().files().containsKey(DatabaseFile.WAL);
    }

    HazardWatch hazards() {
        return hazards;
    }

    Database database() {
        return database;
    }

    MonitorState state() {
        return ledger.state();
    }

    Moment now() {
        return time.now();
    }

    Optional<Map<String, Object>> snapshot(String id) {
        return store.read(id);
    }

    WritesCheck writes() {
        return writes;
    }

    /**
     * Whether there is something to look into at once: an incident that an earlier process left open or may have left
     * open, a marker of damage, or emptiness.
     */
    boolean isUrgent() {
        return recalledIncident || memory.wasSetAside() || content.misses() || CorruptMarker.exists(database.file());
    }
}
