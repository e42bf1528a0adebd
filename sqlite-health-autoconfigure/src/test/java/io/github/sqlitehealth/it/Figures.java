package io.github.sqlitehealth.it;

import java.time.Duration;
import java.util.Arrays;

/** How long something takes. */
public final class Figures {

    private Figures() {}

    /** The time that 99 of 100 calls do not exceed, after some to warm up. */
    public static Duration p99(int calls, Runnable call) {
        long[] nanos = new long[calls];
        for (int i = -calls / 5; i < calls; i++) {
            long start = System.nanoTime();
            call.run();
            if (i >= 0) {
                nanos[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[calls * 99 / 100]);
    }
}
