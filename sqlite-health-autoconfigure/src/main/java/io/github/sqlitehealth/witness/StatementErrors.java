package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Moment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The SQLite errors that the application's own statements ran into. Written by the application's threads, so that
 * recording one costs next to nothing, also in a storm of them.
 */
public final class StatementErrors {

    /** Errors of the storage: FULL, READONLY, IOERR, CORRUPT, CANTOPEN and NOTADB. */
    private static final Set<Integer> STORAGE = Set.of(13, 8, 10, 11, 14, 26);

    /** Those after which the pages are to be looked at: IOERR, CORRUPT and NOTADB. */
    private static final Set<Integer> PAGES = Set.of(10, 11, 26);

    private final Timepiece time;
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private @Nullable Outstanding outstanding;

    public StatementErrors(Timepiece time) {
        this.time = time;
    }

    /** Hears of storage errors, on a thread of the application: it must only pass the word on. */
    public interface Listener {

        /**
         * A statement failed for want of sound storage.
         *
         * @param pages whether the pages are to be looked at
         */
        void failed(boolean pages);
    }

    /** From now on a listener hears of storage errors. */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /** A listener hears no more: a pool may be watched again and again, and must not hold on to those who watched it. */
    public void unlisten(Listener listener) {
        listeners.remove(listener);
    }

    /**
     * Records an error.
     *
     * @param code the extended or primary result code
     * @param name the name of the code, such as {@code SQLITE_FULL}
     */
    public void saw(int code, String name) {
        counts.computeIfAbsent(name, any -> new LongAdder()).increment();
        int primary = code & 0xff;
        if (!STORAGE.contains(primary)) {
            return;
        }
        synchronized (this) {
            Outstanding before = outstanding;
            outstanding = before == null
                    ? new Outstanding(code, name, 1, time.now())
                    : new Outstanding(before.code(), before.name(), before.count() + 1, before.first());
        }
        listeners.forEach(listener -> listener.failed(PAGES.contains(primary)));
    }

    /** A commit has landed: what failed before it does not fail any more. */
    synchronized void landed() {
        outstanding = null;
    }

    /** The storage errors since the last commit; absent when there are none. */
    synchronized @Nullable Outstanding outstanding() {
        return outstanding;
    }

    /** How often each error was seen, by its name. */
    public Map<String, LongAdder> counts() {
        return counts;
    }

    /**
     * Storage errors that no commit has followed.
     *
     * @param code of the first one
     * @param name of that code
     * @param count how many there were
     * @param first when the first one was seen
     */
    record Outstanding(int code, String name, long count, Moment first) {}
}
