package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.recovery.PooledPragma;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The freeze of one database: while this process is stranded on it, no pooled connection checkpoints, so that the main
 * file does not move under those who use the new sidecars.
 */
final class Freeze {

    private static final Duration EAGER = Duration.ofSeconds(3);
    private static final Duration THAW = Duration.ofSeconds(30);

    private final boolean wanted;
    private final PooledPragma noCheckpoints;

    /** When it began, or when its end did. */
    private volatile long changed = System.nanoTime();

    private volatile long frozenAfter = Long.MAX_VALUE;

    /** @param wanted whether checkpoints are to end; otherwise it only looks how many could */
    Freeze(boolean wanted, PooledPragma noCheckpoints) {
        this.wanted = wanted;
        this.noCheckpoints = noCheckpoints;
    }

    /** When the next step is due. */
    enum Step {
        AT_ONCE,
        AGAIN,
        DONE
    }

    boolean wanted() {
        return wanted;
    }

    /** It begins now, or its end does. */
    void turn() {
        changed = System.nanoTime();
        frozenAfter = Long.MAX_VALUE;
    }

    /** One step, of which the incident is told where there is one for certain. */
    Step step(@Nullable Rescue rescue) {
        long nanos = System.nanoTime() - changed;
        Coverage now = wanted ? noCheckpoints.set() : look();
        frozenAfter = now.whole() ? Math.min(frozenAfter, nanos) : Long.MAX_VALUE;
        if (rescue != null) {
            rescue.frozen(now, Duration.ofNanos(frozenAfter));
        }
        return wanted && now.covered() < now.open() && nanos < EAGER.toNanos() ? Step.AT_ONCE : Step.AGAIN;
    }

    /** One step of its end. */
    Step thaw() {
        long nanos = System.nanoTime() - changed;
        Coverage left = noCheckpoints.restore();
        return left.covered() == 0 || nanos > THAW.toNanos() ? Step.DONE : Step.AGAIN;
    }

    Coverage look() {
        return noCheckpoints.look();
    }

    void end() {
        noCheckpoints.restore();
    }
}
