package io.github.sqlitehealth.os;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for files to appear in and to vanish from directories. It only says where to look, and it may say so once too
 * often: a poll that does not depend on it must stand behind it.
 *
 * <p>Changes are taken from the system by a daemon thread, so that a waiting {@link #poll} can be woken, and so that a
 * directory in which files come and go thousands of times a second (rollback journals) disturbs nobody. All methods may be
 * called by any thread, {@link #poll} by one at a time.
 */
public final class DirectoryWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(DirectoryWatch.class);

    /** A swap of files is several changes; they are told together. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /**
     * How long a burst of irrelevant changes is left to gather: at most 1000 looks a second. Java keeps 512 changes of a
     * directory and then says that it lost some, so this must be shorter than the time in which SQLite can make as many.
     */
    private static final long PAUSE_MILLIS = 1;

    private final Predicate<Path> relevant;
    private final @Nullable WatchService service;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // All below are guarded by the lock.
    private final Map<Path, Watched> watched = new HashMap<>();
    private final Set<Path> refused = new HashSet<>();
    private Set<Path> changes = new LinkedHashSet<>();
    private long firstChange;
    private boolean woken;
    private boolean closed;

    /** A key may serve several names of one directory. */
    private record Watched(WatchKey key, @Nullable FileId id) {}

    /**
     * @param relevant which of the changed paths are worth waking up for; asked by a thread of the watch, so it must be
     *     quick and safe
     */
    public DirectoryWatch(Predicate<Path> relevant) {
        this(relevant, () -> FileSystems.getDefault().newWatchService());
    }

    interface Source {
        WatchService create() throws IOException;
    }

    DirectoryWatch(Predicate<Path> relevant, Source source) {
        this.relevant = relevant;
        this.service = create(source);
        if (service != null) {
            Thread thread = new Thread(() -> listen(service), "sqlite-health-directory-watch");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static @Nullable WatchService create(Source source) {
        try {
            return source.create();
        } catch (IOException | RuntimeException e) {
            log.warn("The system gives no file events, changes will be found by the poll only: {}", e.getMessage());
            return null;
        }
    }

    /**
     * Begins to watch a directory, if it is not watched yet. One that has been replaced by another is watched anew.
     *
     * @return {@code false} when the system refuses, as it does for a directory that is missing or when its limit of
     *     watches is reached; said in the log once, until it works again
     */
    public boolean watch(Path directory) {
        lock.lock();
        try {
            if (service == null || closed) {
                return false;
            }
            FileFacts facts = FileFacts.of(directory);
            FileId id = facts == null ? null : facts.id();
            Watched before = watched.get(directory);
            if (before != null && facts != null && before.key().isValid() && same(before.id(), id)) {
                return true;
            }
            unwatch(directory);
            watched.put(directory, new Watched(directory.register(service, ENTRY_CREATE, ENTRY_DELETE), id));
            refused.remove(directory);
            return true;
        } catch (IOException | RuntimeException e) {
            if (refused.add(directory)) {
                log.warn(
                        "{} cannot be watched, changes in it will be found by the poll only: {}",
                        directory,
                        e.toString());
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private static boolean same(@Nullable FileId one, @Nullable FileId other) {
        return one == null ? other == null : one.equals(other);
    }

    /** Ends the watch of a directory; nothing happens if it is not watched. */
    public void unwatch(Path directory) {
        lock.lock();
        try {
            Watched before = watched.remove(directory);
            if (before != null && namesOf(before.key()).isEmpty()) {
                before.key().cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Path> namesOf(WatchKey key) {
        return watched.entrySet().stream()
                .filter(entry -> entry.getValue().key().equals(key))
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Waits for the first relevant change, and 20 ms more for those that come with it.
     *
     * @param timeout how long to wait for the first one
     * @return the paths that came or went; a directory itself means "look at everything in it". Empty when nothing
     *     happened, when the watch was woken, and at once when it is closed
     */
    public Set<Path> poll(Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (changes.isEmpty() && !woken && !closed && left > 0) {
                left = news.awaitNanos(left);
            }
            while (!changes.isEmpty() && !woken && !closed && gatheringLeft() > 0) {
                news.awaitNanos(gatheringLeft());
            }
            woken = false;
            Set<Path> found = closed ? Set.of() : changes;
            changes = new LinkedHashSet<>();
            return found;
        } finally {
            lock.unlock();
        }
    }

    private long gatheringLeft() {
        return firstChange + GATHER_NANOS - System.nanoTime();
    }

    /** Makes a waiting {@link #poll} return at once with what there is; if none is waiting, the next one. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the watch for good. A waiting {@link #poll} returns, empty. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            watched.clear();
            news.signalAll();
        } finally {
            lock.unlock();
        }
        if (service != null) {
            try {
                service.close();
            } catch (IOException e) {
                log.debug("The file events of the system could not be closed", e);
            }
        }
    }

    private void listen(WatchService events) {
        try {
            while (true) {
                if (!take(events.take())) {
                    Thread.sleep(PAUSE_MILLIS);
                }
            }
        } catch (ClosedWatchServiceException e) {
            log.trace("The watch was closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether anything in it was relevant */
    private boolean take(WatchKey key) {
        List<Path> directories = directoriesOf(key);
        Set<Path> found = new LinkedHashSet<>();
        for (WatchEvent<?> event : key.pollEvents()) {
            for (Path directory : directories) {
                if (!(event.context() instanceof Path name)) {
                    found.add(directory); // an overflow: changes were lost
                } else if (isRelevant(directory.resolve(name))) {
                    found.add(directory.resolve(name));
                }
            }
        }
        if (!key.reset()) {
            // The directory is gone, and whatever was in it.
            found.addAll(directories);
            forget(key);
        }
        tell(found);
        return !found.isEmpty();
    }

    private boolean isRelevant(Path path) {
        try {
            return relevant.test(path);
        } catch (RuntimeException e) {
            log.debug("Nobody can say whether {} is relevant", path, e);
            return true;
        }
    }

    private List<Path> directoriesOf(WatchKey key) {
        lock.lock();
        try {
            return namesOf(key);
        } finally {
            lock.unlock();
        }
    }

    private void forget(WatchKey key) {
        lock.lock();
        try {
            for (Iterator<Watched> entries = watched.values().iterator(); entries.hasNext(); ) {
                if (entries.next().key().equals(key)) {
                    entries.remove();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void tell(Set<Path> found) {
        lock.lock();
        try {
            if (found.isEmpty() || closed) {
                return;
            }
            if (changes.isEmpty()) {
                firstChange = System.nanoTime();
            }
            changes.addAll(found);
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
