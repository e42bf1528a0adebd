package io.github.sqlitehealth.monitor;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the threads of {@link RescueWatch}: goes round until nobody is stranded any more, and begins anew when somebody
 * is. All but the rounds is guarded by the watch.
 */
final class RescueThread implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(RescueWatch.class);

    private static final long AGAIN_MILLIS = 50;

    private final String name;
    private final LongSupplier round;
    private final Turn turn;
    private @Nullable Thread thread;

    /** Whether there is one more round. */
    @FunctionalInterface
    interface Turn {

        /** @param pause how long to wait before it, in milliseconds */
        boolean goesOn(RescueThread thread, long pause);
    }

    /** @param round tells how long to wait for the next one, in milliseconds */
    RescueThread(String name, LongSupplier round, Turn turn) {
        this.name = name;
        this.round = round;
        this.turn = turn;
    }

    void ensure() {
        if (thread == null) {
            thread = new Thread(this, name);
            thread.setDaemon(true);
            thread.start();
        }
    }

    void ended() {
        thread = null;
    }

    /** Absent when it does not go round. */
    @Nullable
    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        long pause = 0;
        while (turn.goesOn(this, pause)) {
            try {
                pause = round.getAsLong();
            } catch (RuntimeException | LinkageError ex) {
                log.warn("{} ran into trouble; it goes on", name, ex);
                pause = AGAIN_MILLIS;
            }
        }
    }
}
