package io.github.sqlitehealth.witness;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Ends a read that is running, since an interrupt of the thread does not reach SQLite. */
public final class RunningRead {

    private static final Map<Thread, Deadline> RUNNING = new ConcurrentHashMap<>();

    private RunningRead() {}

    /** Cancels what a thread is reading at this moment; does nothing when it reads nothing. */
    public static void cancel(Thread thread) {
        Deadline deadline = RUNNING.get(thread);
        if (deadline != null) {
            deadline.cancel();
        }
    }

    static void begin(Deadline deadline) {
        RUNNING.put(Thread.currentThread(), deadline);
    }

    static void end(Deadline deadline) {
        RUNNING.remove(Thread.currentThread(), deadline);
    }
}
