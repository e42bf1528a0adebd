package io.github.sqlitehealth.benchmark;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Measured durations, and a line of a table about them. */
final class Figures {

    static final String HEAD = String.format(
            Locale.ROOT, "%-52s %8s %10s %10s %10s %10s %12s", "", "n", "min", "median", "p99", "max", "p99 allowed");

    private final long[] nanos;

    Figures(long[] nanos) {
        this.nanos = nanos.clone();
        Arrays.sort(this.nanos);
    }

    /** The smallest value that is not exceeded by this part of all values. */
    Duration quantile(double part) {
        int rank = (int) Math.ceil(part * nanos.length);
        return Duration.ofNanos(nanos[Math.max(0, rank - 1)]);
    }

    String line(String name, @Nullable Duration allowed) {
        return String.format(
                Locale.ROOT,
                "%-52s %8d %10s %10s %10s %10s %12s",
                name,
                nanos.length,
                millis(quantile(0)),
                millis(quantile(0.5)),
                millis(quantile(0.99)),
                millis(quantile(1)),
                allowed == null ? "" : millis(allowed));
    }

    static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.4g ms", duration.toNanos() / 1e6);
    }
}
