package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Moment;
import java.time.Clock;
import java.util.function.LongSupplier;

/**
 * Tells what time it is.
 *
 * @param clock for time stamps, which may jump
 * @param ticker monotonic, in nanoseconds, for durations and ages
 */
public record Timepiece(Clock clock, LongSupplier ticker) {

    /** The time of this machine. */
    public static Timepiece system() {
        return new Timepiece(Clock.systemUTC(), System::nanoTime);
    }

    /** This moment. */
    public Moment now() {
        return new Moment(clock.instant(), ticker.getAsLong());
    }
}
