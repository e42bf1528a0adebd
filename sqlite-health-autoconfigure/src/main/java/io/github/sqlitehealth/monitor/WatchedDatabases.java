package io.github.sqlitehealth.monitor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The databases that are watched. They come when they are found, also as what is attached to another one, and go when they
 * are removed; whoever uses the same file as another one joins it. Any thread may ask and remove; one at a time adds.
 */
final class WatchedDatabases {

    private static final Logger log = LoggerFactory.getLogger(Monitor.class);

    private final WatchedFactory factory;
    private final MonitorListener listener;
    private final BackupRounds backups;

    /** By the name of the database, in the order in which they were found. */
    private final Map<String, Watched> databases = Collections.synchronizedMap(new LinkedHashMap<>());

    private volatile @Nullable Rounds rounds;

    // The same for all of them: there may be very many.
    private final Consumer<Database> attached = this::addAttached;
    private final Consumer<String> detached = this::remove;
    private final Executor checkThread = this::onCheckThread;
    private final Executor backupThread;

    WatchedDatabases(WatchedFactory factory, MonitorListener listener, BackupRounds backups) {
        this.factory = factory;
        this.listener = listener;
        this.backups = backups;
        this.backupThread = backups::execute;
    }

    /** They are watched by these from now on. */
    void start(Rounds rounds) {
        this.rounds = rounds;
        for (Watched watched : all()) {
            watched.monitor().resume();
            rounds.add(watched.monitor());
            backups.add(watched.backups());
        }
    }

    /** Nobody goes round any more: closes what is held open. */
    void stop() {
        rounds = null;
        List<Watched> all = all();
        all.forEach(Watched::stopped);
        // A swap of the last second must not be merged unseen.
        all.forEach(watched -> watched.monitor().lookOnceMore());
        all.forEach(watched -> watched.monitor().close());
    }

    /** Who goes round now; absent while the monitor is stopped. */
    @Nullable
    Rounds rounds() {
        return rounds;
    }

    List<Watched> all() {
        synchronized (databases) {
            return List.copyOf(databases.values());
        }
    }

    List<DatabaseMonitor> monitors() {
        return all().stream().map(Watched::monitor).toList();
    }

    /** The database of this name, or the one that the {@code DataSource} bean of this name uses. */
    Optional<WatchedDatabase> find(String name) {
        WatchedDatabase known = databases.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        return all().stream()
                .filter(database -> database.dataSources().contains(name))
                .findFirst()
                .map(WatchedDatabase.class::cast);
    }

    /** However many there are, what this process holds is listed once for the first look at them. */
    void add(List<Database> found, Rounds rounds) {
        Map<Path, DatabaseMonitor> known = new HashMap<>();
        monitors().forEach(monitor -> known.put(monitor.database().file(), monitor));
        List<Watched> added = new ArrayList<>();
        for (Database database : found) {
            DatabaseMonitor same = known.get(database.file());
            if (same == null) {
                Watched watched = factory.of(database, attached, detached, checkThread, backupThread);
                known.put(database.file(), watched.monitor());
                added.add(watched);
            } else {
                same.join(database);
                log.info("Watching {} for {}, too", database.file(), database.name());
            }
        }
        Looks.at(added.stream().map(Watched::monitor).toList());
        added.forEach(watched -> begin(watched, rounds));
    }

    /** It is watched by those who go round now; while the monitor is stopped nobody finds one. */
    private void addAttached(Database database) {
        Rounds now = rounds;
        if (now != null) {
            add(List.of(database), now);
        }
    }

    private void begin(Watched watched, Rounds rounds) {
        watched.monitor().beginWithLook();
        Database database = watched.monitor().database();
        databases.put(database.name(), watched);
        listener.added(watched);
        rounds.add(watched.monitor());
        backups.add(watched.backups());
        log.info("Watching {} (SQLite {}) for {}", database.file(), database.sqliteVersion(), database.name());
    }

    /** The thread of today: after a stop and a start it is another one. */
    private void onCheckThread(Runnable work) {
        Rounds today = rounds;
        if (today == null) {
            throw new RejectedExecutionException("The monitor has stopped");
        }
        today.checks().executor().execute(work);
    }

    /**
     * When this returns, nothing of it is held open.
     *
     * @return whether there was one of this name
     */
    boolean remove(String name) {
        Watched watched = databases.remove(name);
        if (watched == null) {
            return monitors().stream().anyMatch(monitor -> monitor.part(name));
        }
        remove(watched);
        return true;
    }

    /** Another one may have come under the same name. */
    void remove(String name, Database database) {
        Watched watched = databases.get(name);
        if (watched != null && watched.monitor().database() == database && databases.remove(name, watched)) {
            remove(watched);
        } else {
            monitors().stream()
                    .filter(monitor -> monitor.joined().contains(database))
                    .forEach(monitor -> monitor.part(name));
        }
    }

    private void remove(Watched watched) {
        Rounds today = rounds;
        if (today != null) {
            today.watch().remove(watched.monitor());
        }
        watched.monitor().retire();
        backups.remove(watched.backups());
        if (today != null) {
            today.checks().remove(watched.monitor());
        }
        watched.monitor().leave();
        listener.removed(watched);
        log.info("Watching {} no longer", watched.state().file());
        List<Database> others = watched.monitor().joined();
        if (today != null && !others.isEmpty()) {
            // Their file is still in use.
            today.checks().executor().execute(() -> add(others, today));
        }
    }
}
