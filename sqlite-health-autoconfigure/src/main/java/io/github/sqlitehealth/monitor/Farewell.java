package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.recovery.PooledPragma;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import io.github.sqlitehealth.recovery.RescueCopy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is done for the rows of a stranded process before it ends. */
final class Farewell {

    private static final Duration LAST_COPY = Duration.ofSeconds(60);
    private static final Duration COVER = Duration.ofSeconds(1);
    private static final Duration COVER_BEFORE_HALT = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int ROUNDS = 3;

    private static final Duration CHECKPOINT = Duration.ofSeconds(5);

    private final Rescue rescue;
    private final Supplier<Coverage> freeze;
    private final PooledPragma noWrites;
    private final Supplier<List<Holder>> holders;

    /**
     * @param freeze one step of it
     * @param holders asks who else holds the files
     */
    Farewell(Rescue rescue, Supplier<Coverage> freeze, Supplier<List<Holder>> holders) {
        this.rescue = rescue;
        this.freeze = freeze;
        this.noWrites = rescue.noWrites();
        this.holders = holders;
    }

    /**
     * Before the pools close.
     *
     * @return whether the anchor has to stay open, so that the last close merges nothing
     */
    boolean stop() {
        cover(freeze, COVER);
        rescue.heldBy(holders.get());
        boolean covered = false;
        AtStop plan = decide();
        for (int round = 0; round < ROUNDS; round++) {
            if (plan.plan() == AtStop.Plan.KEEP) {
                // What is written from here on could not be kept: it is refused, so that nobody relies on it.
                cover(noWrites::set, COVER);
            }
            covered = rescue.rounds().complete(LAST_COPY);
            AtStop now = decide();
            if (covered && now.plan() == plan.plan()) {
                break;
            }
            plan = now;
        }
        rescue.snapshot();
        rescue.tell("this stop will " + plan.key() + ": " + plan.why()
                + (covered ? "; the rescue copy holds everything" : "; no rescue copy holds everything"));
        return plan.plan() == AtStop.Plan.KEEP;
    }

    private AtStop decide() {
        rescue.frozen(freeze.get(), Duration.ZERO);
        return rescue.atStop();
    }

    /** Why the process must not be halted yet; null when it may. */
    @Nullable
    String objectionToHalt() {
        cover(freeze, COVER_BEFORE_HALT);
        if (!rescue.rounds().wanted()) {
            return null;
        }
        // Writes are refused only when the copy that they wait for is likely to succeed.
        RescueCopy copy = rescue.rounds().copies().last();
        if (copy == null || !copy.verified() || rescue.rounds().problem() != null) {
            return "not halted: there is no verified rescue copy of today's rows, and the end of the process would be the"
                    + " end of them";
        }
        cover(noWrites::set, COVER_BEFORE_HALT);
        if (rescue.rounds().complete(LAST_COPY)) {
            return null;
        }
        noWrites.restore();
        return "not halted: no rescue copy holds everything";
    }

    /**
     * Before a halt, when nothing is written any more: where a graceful stop would merge, the next process finds all rows
     * in the database.
     *
     * @return what has become of them, for people
     */
    String merge() {
        AtStop plan = decide();
        if (plan.plan() == AtStop.Plan.KEEP) {
            return "the main file stays as it is (" + plan.why() + "), and the rows are in the rescue copy";
        }
        return rescue.checkpoint().run(CHECKPOINT)
                ? "nobody else has written, so the rows have been moved into the main file; they are in the rescue copy, too"
                : "the rows are in the rescue copy only: no connection of the application could move them into the main"
                        + " file";
    }

    /** The application may write again. */
    void resume() {
        cover(noWrites::restore, COVER);
    }

    private static void cover(Supplier<Coverage> step, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        Coverage now = step.get();
        while (now.covered() < now.open() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
            now = step.get();
        }
    }
}
