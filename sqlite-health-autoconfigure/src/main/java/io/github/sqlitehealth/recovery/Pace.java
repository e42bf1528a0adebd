package io.github.sqlitehealth.recovery;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * How a long piece of work leaves room for those who write beside it: it rests in between, in proportion to what it has
 * worked. Used by one thread.
 */
final class Pace {

    /** A rest for less than this would cost more than it gives. */
    private static final long WORTH_A_REST = Duration.ofMillis(1).toNanos();

    private final double rest;
    private long since = System.nanoTime();

    private Pace(double rest) {
        this.rest = rest;
    }

    /** No rests: somebody waits for the end of it. */
    static Pace hurried() {
        return new Pace(0);
    }

    /** Of the copying, which must be no slower than one and a half times what the command line takes. */
    static Pace brisk() {
        return new Pace(0.2);
    }

    /** Two thirds of the time belong to others. */
    static Pace gentle() {
        return new Pace(2);
    }

    /** Asked again and again by whoever works. */
    void restAWhile() {
        long worked = System.nanoTime() - since;
        if (rest > 0 && worked >= WORTH_A_REST) {
            LockSupport.parkNanos((long) (worked * rest));
            since = System.nanoTime();
        }
    }
}
