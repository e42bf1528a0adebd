package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.DirectoryChanges;
import io.github.sqlitehealth.os.DirectoryWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    private static final List<String> SIDECARS = List.of("-wal", "-shm");

    private final Duration interval;
    private final Duration initialDelay;
    /** By their main files. */
    private final Map<Path, DatabaseMonitor> databases = new ConcurrentHashMap<>();

    private final @Nullable DirectoryWatch events;
    private volatile boolean stopped;

    Watch(Settings settings) {
        this.interval = settings.watchInterval();
        this.initialDelay = settings.watchInitialDelay();
        this.events = settings.watchEvents() ? new DirectoryWatch(path -> of(path) != null) : null;
    }

    void add(DatabaseMonitor database) {
        databases.put(database.database().file(), database);
    }

    void remove(DatabaseMonitor database) {
        databases.remove(database.database().file(), database);
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
                    Looks.at(changed(await(Duration.ofNanos(wait))), database -> null);
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

    private void sweep() {
        DirectoryChanges changes = new DirectoryChanges();
        Collection<DatabaseMonitor> all = databases.values();
        Looks.at(all, database -> changes.of(directory(database)));
        for (DatabaseMonitor database : all) {
            Looks.guarded(database, () -> {
                database.pulse();
                listen(database, changes);
            });
        }
    }

    private List<DatabaseMonitor> changed(Set<Path> paths) {
        Set<DatabaseMonitor> changed = new LinkedHashSet<>();
        for (Path path : paths) {
            DatabaseMonitor database = of(path);
            if (database != null) {
                changed.add(database);
            } else {
                databases.values().stream()
                        .filter(each -> path.equals(directory(each)))
                        .forEach(changed::add);
            }
        }
        return List.copyOf(changed);
    }

    /** The database that a file belongs to. */
    private @Nullable DatabaseMonitor of(Path path) {
        DatabaseMonitor database = databases.get(path);
        String name = String.valueOf(path.getFileName());
        for (int i = 0; database == null && i < SIDECARS.size(); i++) {
            String suffix = SIDECARS.get(i);
            if (name.endsWith(suffix)) {
                database = databases.get(path.resolveSibling(name.substring(0, name.length() - suffix.length())));
            }
        }
        return database;
    }

    private static @Nullable Path directory(DatabaseMonitor database) {
        return database.database().file().getParent();
    }

    /**
     * Events are asked for where there is a WAL. A rollback journal comes and goes with every transaction: there the
     * poll is enough.
     */
    private void listen(DatabaseMonitor database, DirectoryChanges changes) {
        Path directory = directory(database);
        boolean wal = database.identity().last().files().containsKey(DatabaseFile.WAL);
        if (events != null && directory != null && wal) {
            events.watch(directory, changes.of(directory));
        }
    }
}
