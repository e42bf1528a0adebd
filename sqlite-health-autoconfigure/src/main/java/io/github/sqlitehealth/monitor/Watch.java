package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.monitor.IdentityCheck.Glance;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.DirectoryWatch;
import io.github.sqlitehealth.witness.IdentityWitness;
import io.github.sqlitehealth.witness.IdentityWitness.Stats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of the files: looks at all databases once an interval, and at once at those whose directory reports that a
 * file came or went. It never asks SQL, so that a swap is found also while a check of ten minutes is running.
 */
final class Watch implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    private final Duration interval;
    private final Duration initialDelay;
    private final List<DatabaseMonitor> databases = new CopyOnWriteArrayList<>();
    private final @Nullable DirectoryWatch events;
    private volatile boolean stopped;

    Watch(Settings settings) {
        this.interval = settings.watchInterval();
        this.initialDelay = settings.watchInitialDelay();
        this.events = settings.watchEvents() ? new DirectoryWatch(this::isRelevant) : null;
    }

    /** From here on a file that comes or goes is noticed at once: the next sweep may be an interval away. */
    void add(DatabaseMonitor database) {
        databases.add(database);
        guarded(database, () -> listen(database));
    }

    void remove(DatabaseMonitor database) {
        databases.remove(database);
    }

    void stop() {
        stopped = true;
        if (events != null) {
            events.close();
        }
    }

    @Override
    public void run() {
        try {
            TimeUnit.NANOSECONDS.sleep(initialDelay.toNanos());
            long nextSweep = System.nanoTime();
            while (!stopped) {
                long wait = nextSweep - System.nanoTime();
                if (wait <= 0) {
                    sweep();
                    nextSweep = System.nanoTime() + interval.toNanos();
                } else {
                    look(changed(await(Duration.ofNanos(wait))));
                }
            }
        } catch (InterruptedException ex) {
            log.debug("The watch was asked to stop");
        }
    }

    private Set<Path> await(Duration wait) throws InterruptedException {
        if (events != null) {
            return events.poll(wait);
        }
        LockSupport.parkNanos(wait.toNanos());
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return Set.of();
    }

    private void sweep() throws InterruptedException {
        look(databases);
        for (DatabaseMonitor database : databases) {
            guarded(database, database::pulse);
            guarded(database, () -> listen(database));
        }
    }

    /**
     * All questions for the paths, then all comparisons, then one pause for all second looks: what this process holds is
     * listed once for all databases, and it does not matter how many of them are in trouble.
     */
    private void look(Collection<DatabaseMonitor> candidates) throws InterruptedException {
        Map<DatabaseMonitor, Optional<Stats>> stats = new LinkedHashMap<>();
        for (DatabaseMonitor database : candidates) {
            guarded(
                    database,
                    () -> stats.put(
                            database, Optional.ofNullable(database.identity().stat())));
        }
        Map<DatabaseMonitor, Glance> glances = new LinkedHashMap<>();
        stats.forEach((database, asked) -> guarded(
                database, () -> glances.put(database, database.identity().glance(asked.orElse(null)))));
        if (glances.values().stream().anyMatch(Glance::needsSecond)) {
            Thread.sleep(IdentityWitness.APART_MILLIS);
        }
        glances.forEach((database, glance) ->
                guarded(database, () -> database.identity().conclude(glance)));
    }

    private List<DatabaseMonitor> changed(Set<Path> paths) {
        return databases.stream()
                .filter(database -> {
                    Path main = database.database().file();
                    Path directory = main.getParent();
                    return paths.stream().anyMatch(path -> path.equals(directory) || isFileOf(main, path));
                })
                .toList();
    }

    /** Asked at the very moment of an event, before the others of it are gathered. */
    private boolean isRelevant(Path path) {
        boolean relevant = false;
        for (DatabaseMonitor database : databases) {
            DatabaseFile file = fileOf(database.database().file(), path);
            if (file != null) {
                relevant = true;
                guarded(database, () -> database.identity().hint(file));
            }
        }
        return relevant;
    }

    private static boolean isFileOf(Path main, Path path) {
        return fileOf(main, path) != null;
    }

    private static @Nullable DatabaseFile fileOf(Path main, Path path) {
        for (DatabaseFile file : DatabaseFile.values()) {
            if (path.equals(file.beside(main))) {
                return file;
            }
        }
        return null;
    }

    /**
     * Events are asked for where there is a WAL. A rollback journal comes and goes with every transaction: there the
     * poll is enough.
     */
    private void listen(DatabaseMonitor database) {
        Path directory = database.database().file().getParent();
        if (events != null && directory != null && database.hasWal()) {
            events.watch(directory);
        }
    }

    private static void guarded(DatabaseMonitor database, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The look at {} failed; the watch goes on",
                    database.database().file(),
                    ex);
        }
    }
}
