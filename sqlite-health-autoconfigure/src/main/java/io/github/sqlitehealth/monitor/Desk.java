package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Occasion;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.forensics.SnapshotStore;
import io.github.sqlitehealth.recovery.CorruptMarker;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Section;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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

    private static final Duration MEMORY_INTERVAL = Duration.ofMinutes(1);

    private final Database database;
    private final Ledger ledger;
    private final Forensics forensics;
    private final SnapshotStore store;
    private final Memory memory;
    private final ContentWitness content;
    private final MonitorListener listener;

    private volatile Optional<Content> kept = Optional.empty();
    private volatile @Nullable Moment lookedAt;
    private volatile boolean unmarkable;
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

    /** How the application's connections are set now; what a check has found is kept where it says the same. */
    void lastLive(HandleFacts facts) {
        HandleFacts known = lastLive;
        if (known == null || !facts.isSetAs(known)) {
            lastLive = facts;
        }
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
        snapshot(reason, look, null);
    }

    /** @param news a testimony that has not been written into the ledger yet: the check that heard it goes on */
    void snapshot(String reason, Look look, @Nullable Testimony news) {
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
                            withNews(state.all(), news),
                            look,
                            live,
                            fresh,
                            database.sqliteVersion(),
                            state.rescue() == null ? Map.of() : state.rescue().shown()),
                    store);
            ledger.keeps(store.entries(), true);
        });
    }

    /** What the same witness said before on the same occasion is no longer its latest word. */
    private static List<Testimony> withNews(List<Testimony> all, @Nullable Testimony news) {
        if (news == null) {
            return all;
        }
        return Stream.concat(
                        all.stream().filter(said -> said.witness() != news.witness() || said.check() != news.check()),
                        Stream.of(news))
                .toList();
    }

    /** For whoever comes next, be it a person or the next start: the monitor may not be there to tell. */
    void markDamaged() {
        MonitorState state = ledger.state();
        Held damaged = state.latch().held().stream()
                .filter(held -> held.finding().verdict() == Verdict.DAMAGED)
                .findFirst()
                .orElse(null);
        if (damaged == null) {
            return;
        }
        List<SnapshotEntry> taken = state.snapshots();
        CorruptMarker marker = new CorruptMarker(
                damaged.since().at(),
                Verdict.DAMAGED.name(),
                damaged.finding().text(),
                taken.isEmpty() ? null : taken.get(taken.size() - 1).id());
        try {
            marker.write(database.file());
            unmarkable = false;
        } catch (IOException ex) {
            // Each kind of check confirms it.
            if (!unmarkable) {
                unmarkable = true;
                log.warn("No marker can be written beside the damaged {}: {}", database.file(), ex.toString());
            }
        }
    }

    /** A full check has passed. */
    void unmarkDamaged() {
        CorruptMarker.clear(database.file());
    }

    void remember() {
        Optional<Content> there = content.remembered();
        kept = there;
        guarded("The memory failed", () -> memory.keep(Recalled.remember(ledger.state(), there, fullCheckDue)));
    }

    /** A process that is killed writes nothing down, so what is there is written whenever it has changed. */
    void rememberContent() {
        if (!content.remembered().equals(kept) || memory.isGone()) {
            remember();
        }
    }

    /** Who tidies up may take the memory away while something holds, and the next process would not know of it. */
    void rememberAgain(Moment now) {
        Moment before = lookedAt;
        if (before == null || now.since(before).compareTo(MEMORY_INTERVAL) >= 0) {
            lookedAt = now;
            if (memory.isGone()) {
                remember();
            }
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
