package io.github.sqlitehealth.monitor;

import java.time.Duration;
import java.util.Arrays;

/**
 * The part of the time that checks may take: one budget for all kinds of check and all databases. When what they took last
 * would come to more, those that ask for most are stretched until it does not; a small one is never kept waiting for a
 * large one.
 *
 * @param limit the part of the time, such as 0.05
 */
record CheckBudget(double limit) {

    /**
     * How long to rest after a check.
     *
     * @param took how long it took
     * @param interval how long to rest where there is no want of time
     * @param others what all other checks ask for: each what it took last, divided by its interval
     */
    Duration restAfter(Duration took, Duration interval, double[] others) {
        double asked = load(took, interval);
        double granted = Math.min(asked, most(asked, others));
        if (granted >= asked) {
            return interval;
        }
        Duration rest = Duration.ofNanos((long) (took.toNanos() / granted)).minus(took);
        return rest.compareTo(interval) > 0 ? rest : interval;
    }

    static double load(Duration took, Duration interval) {
        return (double) took.toNanos() / Math.max(1, interval.toNanos());
    }

    /** What nobody may exceed, so that all together do not exceed the limit. */
    private double most(double asked, double[] others) {
        double[] all = Arrays.copyOf(others, others.length + 1);
        all[others.length] = asked;
        Arrays.sort(all);
        double left = limit;
        for (int i = 0; i < all.length; i++) {
            double share = left / (all.length - i);
            if (all[i] > share) {
                return share;
            }
            left -= all[i];
        }
        return asked;
    }
}
