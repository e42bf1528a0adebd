package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.recovery.CopyRefusedException;
import io.github.sqlitehealth.recovery.RescueCopies;
import io.github.sqlitehealth.recovery.RescueCopy;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * When rescue copies are taken in one incident: at once, then at most every minute while there is something new. One that
 * failed is tried again sooner, at first: what kept it may have been a moment's, and without a copy all is at stake.
 */
final class CopyRounds {

    private static final Duration BETWEEN = Duration.ofMinutes(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final int MOST_DOUBLINGS = 5;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final boolean wanted;
    private final RescueCopies copies;
    private final Timepiece time;
    private final Consumer<String> tell;

    /** One thread at a time takes a copy. */
    private final ReentrantLock turn = new ReentrantLock();

    private @Nullable Moment last;
    private int failures;
    private boolean placeless;
    private volatile boolean forbidden;
    private volatile @Nullable String problem;

    /** @param tell says a line */
    CopyRounds(boolean wanted, RescueCopies copies, Timepiece time, Consumer<String> tell) {
        this.wanted = wanted;
        this.copies = copies;
        this.time = time;
        this.tell = tell;
        this.problem = wanted ? null : "no rescue copy: sqlite.health.stranded.rescue is false";
    }

    /**
     * Takes a copy when one is due.
     *
     * @param urgent whether nothing more will be committed, so that one that is not whole need not wait for its time
     */
    void round(boolean urgent) {
        turn.lock();
        try {
            if (forbidden) {
                return;
            }
            Moment before = last;
            boolean rested = before == null
                    || time.now().since(before).compareTo(pause()) >= 0
                    || placeless && copies.hasPlace();
            if (wanted && (rested || (urgent && problem == null)) && !copies.coverAll()) {
                take(LIMIT);
            }
        } finally {
            turn.unlock();
        }
    }

    private Duration pause() {
        return failures == 0 || failures > MOST_DOUBLINGS ? BETWEEN : AFTER_FAILURE.multipliedBy(1L << failures - 1);
    }

    /** Takes a copy now, unless the last one holds everything; whether one does in the end. */
    boolean complete(Duration limit) {
        turn.lock();
        try {
            if (forbidden) {
                return false;
            }
            if (wanted && !copies.coverAll()) {
                take(limit);
            }
            return copies.coverAll();
        } finally {
            turn.unlock();
        }
    }

    private void take(Duration limit) {
        try {
            String before = copies.lacking();
            RescueCopy copy = copies.take(limit);
            problem = null;
            failures = 0;
            String lacking = copies.lacking();
            if (lacking != null && !lacking.equals(before)) {
                tell.accept(lacking);
            }
            tell.accept("rescue copy " + copy.file() + " holds everything that this process could read at " + copy.at()
                    + "; its full check: " + copy.check());
        } catch (CopyRefusedException ex) {
            String why = String.valueOf(ex.getMessage());
            if (!why.equals(problem)) {
                tell.accept(why);
            }
            problem = why;
            failures++;
        } finally {
            placeless = problem != null && !copies.hasPlace();
            last = time.now();
        }
    }

    boolean wanted() {
        return wanted;
    }

    /** No copy any more, and no question through the anchor. */
    void forbid(String why) {
        if (!forbidden) {
            forbidden = true;
            problem = why;
            tell.accept(why);
        }
    }

    /** Whether nothing is in the lost files that is not in a copy, or no copy is wanted. Asks the anchor. */
    boolean saved() {
        return !forbidden && (!wanted || copies.coverAll());
    }

    /** Why there is no newer copy; absent when nothing failed. */
    @Nullable
    String problem() {
        return problem;
    }

    RescueCopies copies() {
        return copies;
    }
}
