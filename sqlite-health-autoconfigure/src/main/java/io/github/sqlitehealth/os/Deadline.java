package io.github.sqlitehealth.os;

import java.time.Duration;

/** The end of the time that something may take, by the monotonic ticker. */
final class Deadline {

    private final Duration limit;
    private final long end;

    Deadline(Duration limit) {
        this.limit = limit;
        this.end = System.nanoTime() + limit.toNanos();
    }

    long nanosLeft() {
        return Math.max(0, end - System.nanoTime());
    }

    boolean over() {
        return nanosLeft() == 0;
    }

    /** The limit for people: {@code 2 s} or {@code 250 ms}. */
    @Override
    public String toString() {
        return limit.toMillisPart() == 0 && !limit.isZero() ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
    }
}
