package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.OwnLocks;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the databases of an application with two threads of its own, however many there are. {@link #start} and
 * {@link #stop} are called by one thread at a time; everything else is thread-safe.
 */
public final class Monitor {

    private static final Logger log = LoggerFactory.getLogger(Monitor.class);

    private static final long DISCOVERY_MILLIS = 500;

    private static final Duration HAZARDS_INTERVAL = Duration.ofMinutes(1);

    private final Settings settings;
    private final Discovery discovery;
    private final MonitorListener listener;
    private final Timepiece time;
    private final OwnDescriptors own;
    private final OwnLocks ownLocks;
    private final Holders holders;
    private final Forensics forensics;
    private final HazardRounds hazards;
    private final BackupRounds backups;
    private final Duration hazardsInterval;
    private final RescueWatch rescues;
    private final StrandedFactory stranding;

    /** By the name of the database, in the order in which they were found. */
    private final Map<String, Watched> databases = Collections.synchronizedMap(new LinkedHashMap<>());

    private final AtomicBoolean discovering = new AtomicBoolean();
    private volatile @Nullable Watch watch;
    private volatile @Nullable Thread watchThread;
    private volatile @Nullable Checks checks;

    /**
     * @param own and holders tell how this system shows open files
     */
    public Monitor(
            Settings settings,
            Discovery discovery,
            MonitorListener listener,
            Timepiece time,
            OwnDescriptors own,
            Holders holders,
            Volumes volumes) {
        this(settings, discovery, listener, time, own, holders, volumes, new MappedFiles(), HAZARDS_INTERVAL);
    }

    Monitor(
            Settings settings,
            Discovery discovery,
            MonitorListener listener,
            Timepiece time,
            OwnDescriptors own,
            Holders holders,
            Volumes volumes,
            MappedFiles mapped,
            Duration hazardsInterval) {
        this.settings = settings;
        this.discovery = discovery;
        this.listener = listener;
        this.time = time;
        this.own = own;
        this.ownLocks = own.allLocks();
        this.holders = holders;
        this.forensics = new Forensics(holders, volumes, settings.holdersTimeout(), time.clock());
        this.hazards = new HazardRounds(holders, volumes, mapped, settings.holdersTimeout());
        this.backups = new BackupRounds(settings);
        this.hazardsInterval = hazardsInterval;
        this.rescues = new RescueWatch(holders, settings.holdersTimeout());
        this.stranding = new StrandedFactory(settings.stranded(), rescues, volumes);
    }

    /** Starts the threads. Databases are found by them, so this returns at once. */
    public void start() {
        if (isRunning()) {
            return;
        }
        Watch watch = new Watch(settings);
        Checks checks = new Checks(settings);
        Thread thread = new Thread(watch, "sqlite-health-watch");
        thread.setDaemon(true);
        this.watch = watch;
        this.checks = checks;
        this.watchThread = thread;
        monitors().forEach(monitor -> {
            monitor.resume();
            watch.add(monitor);
            checks.add(monitor);
        });
        backups.start();
        watched().forEach(watched -> backups.add(watched.backups()));
        rescues.start();
        thread.start();
        checks.executor()
                .scheduleWithFixedDelay(
                        () -> hazards.look(monitors()),
                        hazardsInterval.toNanos(),
                        hazardsInterval.toNanos(),
                        TimeUnit.NANOSECONDS);
        discovering.set(false);
        discoverSoon();
    }

    private void discover(Watch watch, Checks checks) {
        Set<DatabaseMonitor> before = Set.copyOf(monitors());
        try {
            List<Database> found = discovery.discover();
            add(found, watch, checks);
            // One that was removed between the two was not found by whoever removed it.
            found.stream()
                    .filter(database -> !discovery.isWanted(database))
                    .forEach(database -> remove(database.name(), database));
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The search for databases failed; it will be tried again", ex);
        }
        if (checks.executor().isShutdown()) {
            return;
        }
        hazards.look(
                monitors().stream().filter(monitor -> !before.contains(monitor)).toList());
        if (!discovery.complete()) {
            checks.executor().schedule(() -> discover(watch, checks), DISCOVERY_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            discovering.set(false);
            if (!discovery.complete()) {
                discoverSoon();
            }
        }
    }

    /** There may be something new to be found. */
    public void discoverSoon() {
        Watch watch = this.watch;
        Checks checks = this.checks;
        if (watch != null && checks != null && discovering.compareAndSet(false, true)) {
            checks.executor().execute(() -> discover(watch, checks));
        }
    }

    /** However many there are, what this process holds is listed once for the first look at them. */
    private void add(List<Database> found, Watch watch, Checks checks) {
        Map<Path, DatabaseMonitor> known = new HashMap<>();
        monitors().forEach(monitor -> known.put(monitor.database().file(), monitor));
        List<DatabaseMonitor> added = new ArrayList<>();
        for (Database database : found) {
            DatabaseMonitor same = known.get(database.file());
            if (same == null) {
                DatabaseMonitor monitor = new DatabaseMonitor(
                        database,
                        settings,
                        forensics,
                        own,
                        ownLocks,
                        holders,
                        listener,
                        time,
                        stranding,
                        attached -> add(List.of(attached), watch, checks),
                        this::remove);
                known.put(database.file(), monitor);
                added.add(monitor);
            } else {
                same.join(database);
                log.info("Watching {} for {}, too", database.file(), database.name());
            }
        }
        Looks.at(added);
        added.forEach(monitor -> begin(monitor, watch, checks));
    }

    private void begin(DatabaseMonitor monitor, Watch watch, Checks checks) {
        monitor.beginWithLook();
        Database database = monitor.database();
        BackupDuty duty = new BackupDuty(monitor, settings, listener, time, this::onCheckThread, backups::execute);
        Watched watched = new Watched(monitor, duty, this::onCheckThread);
        databases.put(database.name(), watched);
        listener.added(watched);
        watch.add(monitor);
        checks.add(monitor);
        backups.add(duty);
        log.info("Watching {} (SQLite {}) for {}", database.file(), database.sqliteVersion(), database.name());
    }

    /** The thread of today: after a stop and a start it is another one. */
    private void onCheckThread(Runnable work) {
        Checks checks = this.checks;
        if (checks == null) {
            throw new RejectedExecutionException("The monitor has stopped");
        }
        checks.executor().execute(work);
    }

    /** Stops the threads, then closes what is held open, before the application closes its pools. */
    public void stop() {
        Watch watch = this.watch;
        Checks checks = this.checks;
        Thread thread = watchThread;
        if (watch == null || checks == null || thread == null) {
            return;
        }
        backups.stop();
        watch.stop();
        thread.interrupt();
        checks.stop();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        rescues.stop();
        this.checks = null;
        watched().forEach(Watched::stopped);
        // A swap of the last second must not be merged unseen.
        monitors().forEach(DatabaseMonitor::lookOnceMore);
        monitors().forEach(DatabaseMonitor::close);
        this.watch = null;
        this.watchThread = null;
    }

    public boolean isRunning() {
        return watchThread != null;
    }

    /** The databases that are watched, in the order in which they were found. */
    public List<WatchedDatabase> databases() {
        return List.copyOf(watched());
    }

    private List<Watched> watched() {
        synchronized (databases) {
            return List.copyOf(databases.values());
        }
    }

    private List<DatabaseMonitor> monitors() {
        return watched().stream().map(Watched::monitor).toList();
    }

    /** Why a {@code DataSource} bean is not watched; empty when it is, or when nothing is known of it. */
    public Optional<String> whyNotWatched(String dataSource) {
        return Optional.ofNullable(discovery.notWatched().get(dataSource));
    }

    /** The database of this name, or the one that the {@code DataSource} bean of this name uses. */
    public Optional<WatchedDatabase> database(String name) {
        WatchedDatabase known = databases.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        return databases().stream()
                .filter(database -> database.dataSources().contains(name))
                .findFirst();
    }

    /**
     * Watches a database no longer. When this returns, the monitor holds nothing of it open.
     *
     * @return whether there was one of this name
     */
    public boolean remove(String name) {
        Watched watched = databases.remove(name);
        if (watched == null) {
            return monitors().stream().anyMatch(monitor -> monitor.part(name));
        }
        remove(watched);
        return true;
    }

    /** Another one may have come under the same name. */
    private void remove(String name, Database database) {
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
        Watch watch = this.watch;
        Checks checks = this.checks;
        if (watch != null) {
            watch.remove(watched.monitor());
        }
        watched.monitor().retire();
        backups.remove(watched.backups());
        if (checks != null) {
            checks.remove(watched.monitor());
        }
        watched.monitor().leave();
        listener.removed(watched);
        log.info("Watching {} no longer", watched.state().file());
        List<Database> others = watched.monitor().joined();
        if (watch != null && checks != null && !others.isEmpty()) {
            // Their file is still in use.
            checks.executor().execute(() -> add(others, watch, checks));
        }
    }
}
