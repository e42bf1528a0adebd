package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.recovery.OtherWriters;
import io.github.sqlitehealth.recovery.PooledCheckpoint;
import io.github.sqlitehealth.recovery.PooledPragma;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import io.github.sqlitehealth.recovery.RescueCopy;
import io.github.sqlitehealth.recovery.RescueState;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Stale;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One incident in which this process is stranded on a database: how far its rows are saved, and what a stop would do with
 * them. Whatever changes is published and said.
 */
final class Rescue {

    private final Anchor anchor;
    private final List<LiveHandles> handles;
    private final boolean freezes;
    private final OtherWriters others;
    private final PooledPragma noWrites;
    private final PooledCheckpoint checkpoint;
    private final CopyRounds rounds;
    private final RescueNews news;
    private final Consumer<String> tell;
    private final Runnable snapshot;

    private volatile Look look;
    private volatile boolean evidence;
    private volatile boolean letGo;
    private volatile @Nullable String failure;
    private Coverage frozen = new Coverage(0, 0, 0);
    private boolean wasWhole;
    private AtStop.@Nullable Plan evidenceOf;

    /**
     * @param freezes whether checkpoints are to end
     * @param noWrites refuses what could not be kept
     * @param checkpoint does what the last connection that closes would do
     * @param publish is given every new state
     * @param tell says a line
     * @param snapshot takes one
     */
    Rescue(
            Path main,
            Anchor anchor,
            List<LiveHandles> handles,
            boolean freezes,
            PooledPragma noWrites,
            PooledCheckpoint checkpoint,
            CopyRounds rounds,
            Consumer<RescueState> publish,
            Consumer<String> tell,
            Runnable snapshot,
            Look look) {
        this.anchor = anchor;
        this.handles = handles;
        this.freezes = freezes;
        this.others = new OtherWriters(main);
        this.noWrites = noWrites;
        this.checkpoint = checkpoint;
        this.rounds = rounds;
        this.news = new RescueNews(freezes, rounds, publish, tell);
        this.tell = tell;
        this.snapshot = snapshot;
        this.look = look;
        leaveCutUntouched(look);
    }

    private void leaveCutUntouched(Look look) {
        if (look.stale().stream().anyMatch(Stale::shrunk)) {
            anchor.leaveUntouched();
            rounds.forbid(
                    "no rescue copy: -shm was cut short under this process, and to read through it could kill it");
        }
    }

    PooledPragma noWrites() {
        return noWrites;
    }

    PooledCheckpoint checkpoint() {
        return checkpoint;
    }

    CopyRounds rounds() {
        return rounds;
    }

    /** Asks no SQL, since the watch calls it. */
    synchronized void looked(Look look, Coverage now) {
        spare(this.look, look);
        this.look = look;
        leaveCutUntouched(look);
        frozen(now);
        publish(news.coveredAll());
    }

    /**
     * Where more of the files are lost than before, somebody has merged or removed what we still read: from here on a copy
     * may have fewer rows than the one before.
     */
    private void spare(Look before, Look now) {
        if (now.stale().size() > before.stale().size()) {
            RescueCopy spared = rounds.copies().spareNewest();
            if (spared != null) {
                tell.accept("more of the files are lost than before, so rows may be in " + spared.file()
                        + " that newer copies lack: it is kept for as long as this lasts");
            }
        }
    }

    /** How far the freeze has come after some time, which is also the moment to look at what others do. */
    synchronized void frozen(Coverage now, Duration after) {
        if (freezes && now.whole() && !wasWhole) {
            wasWhole = true;
            tell.accept("no connection checkpoints any more: " + now.covered() + " of " + now.open() + ", "
                    + after.toMillis() + " ms after the first sign");
        }
        frozen(now);
        publish();
    }

    private void frozen(Coverage now) {
        frozen = now;
        try {
            others.look(look.stale(), freezes && now.whole());
        } catch (IOException ex) {
            failure = "the paths cannot be looked at: " + ex;
        }
    }

    /** Who else holds the files now. */
    synchronized void heldBy(List<Holder> holders) {
        others.holders(holders);
        publish();
    }

    /** What else could not be done; null when nothing. */
    synchronized void failed(@Nullable String why) {
        failure = why;
        publish();
    }

    /** The work that takes its time: a copy when one is due, and evidence of what a stop would do. */
    void work() {
        boolean drained = drained();
        rounds.round(drained);
        // In this order: what is committed after the last connection has closed is nothing.
        letGo = drained && rounds.saved();
        synchronized (this) {
            publish();
        }
        AtStop.Plan plan = atStop().plan();
        if (plan != evidenceOf) {
            evidenceOf = plan;
            snapshot.run();
        }
    }

    private boolean drained() {
        return handles.stream().noneMatch(LiveHandles::mayBeOpen);
    }

    boolean mayLetGo() {
        return letGo;
    }

    /** @return whether that is news */
    boolean evidenceTaken() {
        boolean news = !evidence;
        evidence = true;
        return news;
    }

    boolean hasEvidence() {
        return evidence;
    }

    void tell(String line) {
        tell.accept(line);
    }

    void snapshot() {
        snapshot.run();
    }

    AtStop atStop() {
        return AtStop.decide(others.facts(anchor.isOpen(), !drained()));
    }

    private void publish() {
        publish(rounds.copies().coverAllSurely());
    }

    private void publish(boolean coversAll) {
        news.now(frozen, coversAll, atStop(), failure);
    }

    /** This process is stranded no longer. What it has saved stays known, since it may be in no other place. */
    synchronized void over() {
        news.over(letGo || rounds.copies().coverAllSurely());
    }
}
