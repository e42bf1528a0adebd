package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Occasion;
import io.github.sqlitehealth.forensics.SnapshotStore;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Section;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what a change calls for: says the alarm, keeps the evidence, writes down what the next process must know, and
 * tells the listener. Nothing that fails here reaches the watch or the checks.
 */
final class Desk {

    /** The one logger of alarms, so that they can be routed. */
    private static final Logger alarmLog = LoggerFactory.getLogger("io.github.sqlitehealth.alarm");

    private static final Logger log = LoggerFactory.getLogger(Desk.class);

    private final Database database;
    private final Ledger ledger;
    private final Forensics forensics;
    private final SnapshotStore store;
    private final Memory memory;
    private final ContentWitness content;
    private final MonitorListener listener;

    private volatile Optional<Content> kept = Optional.empty();
    private volatile @Nullable Instant fullCheckDue;
    private volatile Section<HandleFacts> live = Section.missing("no connection has been asked yet");
    private volatile @Nullable HandleFacts lastLive;
    private volatile Section<HandleFacts> fresh = Section.missing("no connection has been asked yet");

    Desk(
            Database database,
            Ledger ledger,
            Forensics forensics,
            SnapshotStore store,
            Memory memory,
            ContentWitness content,
            MonitorListener listener) {
        this.database = database;
        this.ledger = ledger;
        this.forensics = forensics;
        this.store = store;
        this.memory = memory;
        this.content = content;
        this.listener = listener;
        ledger.keeps(store.entries(), false);
    }

    /** What the connections last believed, for the snapshots to come. */
    void facts(@Nullable Section<HandleFacts> live, @Nullable Section<HandleFacts> fresh) {
        this.live = live == null ? this.live : live;
        lastLive = live != null && live.value() != null ? live.value() : lastLive;
        this.fresh = fresh == null ? this.fresh : fresh;
    }

    /** What the last of the application's connections that could be asked believed; absent when none could yet. */
    @Nullable
    HandleFacts lastLive() {
        return lastLive;
    }

    /** Speaks, tells and remembers. The snapshot comes first, for whoever is told may look for it. */
    void follow(Change change, Look look, Moment now, @Nullable String snapshotReason) {
        if (snapshotReason != null) {
            snapshot(snapshotReason, look);
        }
        for (AlarmLine line : change.lines()) {
            say(line, now);
        }
        if (change.worthKeeping()) {
            remember();
        }
        if (change.ofVerdict()) {
            guarded("The listener failed", () -> listener.verdictChanged(change.before(), change.after()));
        }
    }

    void snapshot(String reason, Look look) {
        guarded("The snapshot failed", () -> {
            MonitorState state = ledger.state();
            // Before the second opinion there is no verdict yet, but no health either.
            boolean pending = state.verdict() == Verdict.HEALTHY && state.incident() != null;
            forensics.snapshot(
                    new Occasion(
                            database.name(),
                            database.file(),
                            reason,
                            pending ? Verdict.SUSPECT : state.verdict(),
                            state.incident() == null ? null : state.incident().id(),
                            state.all(),
                            look,
                            live,
                            fresh,
                            database.sqliteVersion()),
                    store);
            ledger.keeps(store.entries(), true);
        });
    }

    void remember() {
        Optional<Content> there = content.remembered();
        kept = there;
        guarded("The memory failed", () -> memory.keep(Recalled.remember(ledger.state(), there, fullCheckDue)));
    }

    /** A process that is killed writes nothing down, so what is there is written whenever it has changed. */
    void rememberContent() {
        if (!content.remembered().equals(kept)) {
            remember();
        }
    }

    /** When the next full check is due, with the next thing to remember. */
    void fullCheckDue(@Nullable Instant due) {
        fullCheckDue = due;
    }

    @Nullable
    Instant fullCheckDue() {
        return fullCheckDue;
    }

    private void say(AlarmLine line, Moment now) {
        String text = line.text(database.name(), database.file(), now);
        if (line.occasion() == AlarmLine.Occasion.RELEASED) {
            alarmLog.info(text);
        } else if ("DOWN".equals(line.held().finding().verdict().status())) {
            alarmLog.error(text);
        } else {
            alarmLog.warn(text);
        }
    }

    private static void guarded(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("{}; the watching goes on", what, ex);
        }
    }
}
