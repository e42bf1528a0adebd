package io.github.sqlitehealth.diagnosis;

import java.time.Duration;
import java.time.Instant;

/**
 * One point in time, told twice: for people, and for durations.
 *
 * @param at the time of day, which may jump
 * @param nanos the reading of a monotonic ticker in nanoseconds, which never does; only differences mean anything
 */
public record Moment(Instant at, long nanos) {

    /** The time that has passed since an earlier moment; negative if it is later. A clock that jumps does not matter. */
    public Duration since(Moment earlier) {
        return Duration.ofNanos(nanos - earlier.nanos);
    }

    /** Whether this moment came after the other. */
    public boolean isAfter(Moment other) {
        return nanos - other.nanos > 0;
    }

    /**
     * The moment of something that an earlier process wrote down. Only its time of day is known, so its age is measured
     * once with the clock, from then on with the ticker.
     */
    public Moment recall(Instant then) {
        Duration age = Duration.between(then, at);
        return new Moment(then, age.isNegative() ? nanos : nanos - age.toNanos());
    }
}
