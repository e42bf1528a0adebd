package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Retention;
import io.github.sqlitehealth.forensics.SnapshotStore;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.HeldFiles;
import io.github.sqlitehealth.witness.IdentityWitness;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.LiveWitness;
import io.github.sqlitehealth.witness.ReadLimits;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Everything that watches one database. */
final class DatabaseMonitor {

    private final Database database;
    private final Timepiece time;
    private final SnapshotStore store;
    private final Memory memory;
    private final Ledger ledger;
    private final Desk desk;
    private final ContentWitness content;
    private final Anchor anchor;
    private final IdentityCheck identity;
    private final PageChecks checks;
    private final boolean recalledIncident;

    /** One entry for each {@code DataSource}; more may come later. */
    private final List<LiveHandles> handles = new CopyOnWriteArrayList<>();

    DatabaseMonitor(
            Database database,
            Settings settings,
            Forensics forensics,
            OwnDescriptors own,
            Holders holders,
            MonitorListener listener,
            Timepiece time) {
        this.database = database;
        this.time = time;
        ForensicsDirectory directory = new ForensicsDirectory(settings.snapshotsOf(database));
        Retention retention = new Retention(settings.snapshotsMaxCount(), settings.snapshotsMaxSize());
        this.store = new SnapshotStore(directory, retention, time.clock());
        this.memory = new Memory(directory, database.file(), time.clock());
        Recalled recalled = Recalled.of(memory.recall(), time.now());
        this.recalledIncident = recalled.latch().latched();
        this.ledger = new Ledger(database, recalled, settings.staleAfter(), settings.alarmRepeatInterval(), time.now());
        this.content = new ContentWitness(database.file(), recalled.content(), time);
        this.desk = new Desk(database, ledger, forensics, store, memory, content, listener);
        this.anchor = new Anchor(database.file(), settings.anchor());
        handles.add(database.handles().apply(() -> !stranded()));
        HeldFiles held = new HeldFiles(own, holders, anchor::generation);
        IdentityWitness witness = new IdentityWitness(database.file(), held, anchor, recalled.known(), time);
        this.identity = new IdentityCheck(witness, anchor, handles, ledger, desk, listener, time);
        this.checks = new PageChecks(
                settings,
                identity,
                new LiveWitness(handles, limits(settings), time),
                new FreshWitness(database.file(), time),
                content,
                anchor,
                ledger,
                desk,
                listener,
                time);
    }

    private static ReadLimits limits(Settings settings) {
        Duration turns = Duration.ofNanos((long) (settings.quickInterval().toNanos() * settings.maxCheckLoad()));
        return new ReadLimits(settings.quickTimeout(), settings.liveBudget(), turns, settings.quickRetries());
    }

    /**
     * The first look, and the anchor after it. Opening the anchor may create sidecars, so the evidence is taken before.
     */
    void begin() throws InterruptedException {
        identity.lookNow();
        if (!stranded() && !identity.nothingToAsk()) {
            anchor.open();
        }
    }

    /** After a stop: that nobody has been asked meanwhile is no sign of trouble. */
    void resume() {
        ledger.resume(time.now());
    }

    /** Another {@code DataSource} uses the same file: it is watched once, with the connections of both. */
    void join(Database other) {
        handles.add(other.handles().apply(() -> !stranded()));
        ledger.join(other.name());
    }

    void run(Check check) throws InterruptedException {
        if (check == Check.FULL) {
            checks.full();
        } else {
            checks.quick();
        }
    }

    /** A check that somebody asked for leaves a snapshot, whatever it finds. */
    void runOnRequest(Check check) throws InterruptedException {
        run(check);
        desk.snapshot("requested", identity.last());
    }

    void acceptContent() throws InterruptedException {
        content.accept();
        run(Check.QUICK);
        desk.remember();
    }

    /** Time has passed: silence may have become too long, and an alarm may be due again. */
    void pulse() {
        Moment now = time.now();
        desk.follow(ledger.pulse(now), identity.last(), now, null);
    }

    /** Before the pool closes, since whoever closes last has to be able to clean up. */
    void close() {
        anchor.close();
        desk.remember();
        memory.close();
    }

    private boolean stranded() {
        return ledger.state().latch().holds(Verdict.STRANDED);
    }

    IdentityCheck identity() {
        return identity;
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

    /** Whether an incident of an earlier process is still open, so that it has to be looked into at once. */
    boolean recalledIncident() {
        return recalledIncident;
    }
}
