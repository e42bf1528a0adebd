package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for files to appear in and to vanish from directories. It only says where to look, and it may say so once too
 * often: a poll that does not depend on it must stand behind it. One thread polls; any thread may watch and close.
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
    private final CountDownLatch closed = new CountDownLatch(1);
    private final WatchedDirectories directories = new WatchedDirectories();

    /** @param relevant which of the changed paths are worth waking up for */
    public DirectoryWatch(Predicate<Path> relevant) {
        this(relevant, () -> FileSystems.getDefault().newWatchService());
    }

    interface Source {
        WatchService create() throws IOException;
    }

    DirectoryWatch(Predicate<Path> relevant, Source source) {
        this.relevant = relevant;
        this.service = create(source);
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
    public synchronized boolean watch(Path directory) {
        return watch(directory, null);
    }

    /**
     * The same, for one directory among very many.
     *
     * @param change of the directory, asked just now: one that has not changed has not been replaced, either
     */
    public synchronized boolean watch(Path directory, @Nullable FileTime change) {
        return service != null && directories.watch(directory, change, service);
    }

    /** Ends the watch of a directory; nothing happens if it is not watched. */
    public synchronized void unwatch(Path directory) {
        directories.unwatch(directory);
    }

    /**
     * Waits for the first relevant change, and 20 ms more for those that come with it.
     *
     * @param timeout how long to wait for the first one
     * @return the paths that came or went; a directory itself means "look at everything in it". Empty when nothing
     *     happened, and at once when it is closed
     */
    public Set<Path> poll(Duration timeout) throws InterruptedException {
        Set<Path> found = new LinkedHashSet<>();
        if (service == null) {
            closed.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return found;
        }
        try {
            long end = System.nanoTime() + timeout.toNanos();
            for (long left = timeout.toNanos(); left > 0; left = end - System.nanoTime()) {
                WatchKey key = service.poll(left, TimeUnit.NANOSECONDS);
                boolean first = found.isEmpty();
                if (key != null && !take(key, found)) {
                    Thread.sleep(PAUSE_MILLIS);
                }
                if (first && !found.isEmpty()) {
                    end = System.nanoTime() + GATHER_NANOS;
                }
            }
        } catch (ClosedWatchServiceException e) {
            return Set.of();
        }
        return found;
    }

    /** @return whether anything in it was relevant */
    private synchronized boolean take(WatchKey key, Set<Path> found) {
        int before = found.size();
        List<Path> names = directories.namesOf(key);
        for (WatchEvent<?> event : key.pollEvents()) {
            for (Path directory : names) {
                if (!(event.context() instanceof Path name)) {
                    found.add(directory); // an overflow: changes were lost
                } else if (isRelevant(directory.resolve(name))) {
                    found.add(directory.resolve(name));
                }
            }
        }
        if (!key.reset()) {
            // The directory is gone, and whatever was in it.
            found.addAll(names);
            directories.forget(key);
        }
        return found.size() > before;
    }

    private boolean isRelevant(Path path) {
        try {
            return relevant.test(path);
        } catch (RuntimeException e) {
            log.debug("Nobody can say whether {} is relevant", path, e);
            return true;
        }
    }

    /** Ends the watch for good. A waiting {@link #poll} returns, empty. */
    @Override
    public void close() {
        closed.countDown();
        if (service != null) {
            try {
                service.close();
            } catch (IOException e) {
                log.debug("The file events of the system could not be closed", e);
            }
        }
    }
}
