package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.LiveHandles;
import java.time.Duration;
import java.util.List;

/**
 * Closes an anchor that had to stay open after all connections of the application, when it merges and removes nothing any
 * more: it cannot write. A Java process that goes on without this application could not use the database otherwise.
 */
final class LastToLeave {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 20;

    private LastToLeave() {}

    static void closes(Anchor anchor, List<LiveHandles> handles) {
        long generation = anchor.generation();
        Thread thread = new Thread(() -> await(anchor, generation, List.copyOf(handles)), "sqlite-health-last");
        thread.setDaemon(true);
        thread.start();
    }

    private static void await(Anchor anchor, long generation, List<LiveHandles> handles) {
        long start = System.nanoTime();
        try {
            while (System.nanoTime() - start < PATIENCE.toNanos() && anchor.generation() == generation) {
                if (handles.stream().noneMatch(LiveHandles::mayBeOpen)) {
                    anchor.close();
                    return;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
