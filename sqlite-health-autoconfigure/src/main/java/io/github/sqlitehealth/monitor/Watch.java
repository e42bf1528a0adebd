package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.DirectoryChange;
import io.github.sqlitehealth.os.DirectoryWatch;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    private static final int MANY = 100;

    /** Of one core; with what is done once a minute it is less than a hundredth. */
    private static final double LARGEST_SHARE = 0.007;

    /** In intervals. */
    private static final int LONGEST_PAUSE = 3;

    private final Duration interval;
    private final Duration initialDelay;
    /** By their main files. */
    private final Map<Path, DatabaseMonitor> databases = new ConcurrentHashMap<>();

    /** Where each of them lies; several may share a directory. */
    private final Map<DatabaseMonitor, Place> places = new ConcurrentHashMap<>();

    private final @Nullable DirectoryWatch events;
    private long round;
    private volatile boolean stopped;

    Watch(Settings settings) {
        this.interval = settings.watchInterval();
        this.initialDelay = settings.watchInitialDelay();
        this.events = settings.watchEvents() ? new DirectoryWatch(this::isRelevant) : null;
    }

    private static final class Place {

        private final Path directory;
        private final DirectoryChange changes;

        /** The last change of which there could be events. */
        private @Nullable FileTime listening;

        Place(Path directory) {
            this.directory = directory;
            this.changes = new DirectoryChange(directory);
        }
    }

    /** From here on a file that comes or goes is noticed at once: the next sweep may be an interval away. */
    synchronized void add(DatabaseMonitor database) {
        Path file = database.database().file();
        Path directory = file.getParent();
        databases.put(file, database);
        if (directory != null) {
            places.put(database, placeOf(directory).orElseGet(() -> new Place(directory)));
            if (events != null && database.hasWal()) {
                events.watch(directory);
            }
        }
    }

    synchronized void remove(DatabaseMonitor database) {
        databases.remove(database.database().file(), database);
        Place place = places.remove(database);
        if (place != null && events != null && placeOf(place.directory).isEmpty()) {
            events.unwatch(place.directory);
        }
    }

    private Optional<Place> placeOf(Path directory) {
        return places.values().stream()
                .filter(place -> place.directory.equals(directory))
                .findFirst();
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
                    nextSweep = sweep() + System.nanoTime();
                } else {
                    Looks.at(changed(await(Duration.ofNanos(wait))));
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

    /** How long until the next one, in nanoseconds. */
    private long sweep() {
        round++;
        long begun = WorkingTime.nanos();
        Looks looks = Looks.begin(databases.values(), this::change);
        long took = WorkingTime.nanos() - begun;
        for (DatabaseMonitor database : looks.end()) {
            Looks.guarded(database, database::pulse);
        }
        return pause(databases.size(), took, interval.toNanos());
    }

    /**
     * A sweep is to take no more than its share of the time. Where there are so many databases that it would, they are
     * looked at less often; but a poll that came too rarely could be relied on for nothing. Of a few databases a sweep
     * takes long only once, when everything is new.
     */
    static long pause(int databases, long took, long interval) {
        return databases < MANY
                ? interval
                : Math.max(interval, Math.min((long) (took / LARGEST_SHARE), LONGEST_PAUSE * interval));
    }

    private List<DatabaseMonitor> changed(Set<Path> paths) {
        Set<DatabaseMonitor> changed = new LinkedHashSet<>();
        for (Path path : paths) {
            DatabaseMonitor database = of(path);
            if (database != null) {
                changed.add(database);
            } else {
                places.forEach((each, place) -> {
                    if (place.directory.equals(path)) {
                        changed.add(each);
                    }
                });
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

    /** Asked at the very moment of an event, before the others of it are gathered. */
    private boolean isRelevant(Path path) {
        DatabaseMonitor database = of(path);
        if (database == null) {
            return false;
        }
        for (DatabaseFile file : DatabaseFile.values()) {
            if (path.equals(file.beside(database.database().file()))) {
                Looks.guarded(database, () -> database.identity().hint(file));
            }
        }
        return true;
    }

    /**
     * When the directory of a database last changed. Events are asked for where there is a WAL. A rollback journal comes
     * and goes with every transaction: there the poll is enough.
     */
    private @Nullable FileTime change(DatabaseMonitor database) {
        Place place = places.get(database);
        if (place == null) {
            return null;
        }
        FileTime change = place.changes.in(round);
        if (events != null && database.hasWal() && (change == null || !change.equals(place.listening))) {
            listen(place, events, change);
        }
        return change;
    }

    private synchronized void listen(Place place, DirectoryWatch events, @Nullable FileTime change) {
        if (places.containsValue(place)) {
            place.listening = events.watch(place.directory, change) ? change : null;
        }
    }
}
