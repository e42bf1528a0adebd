package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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
    private final HazardRounds hazards;
    private final BackupRounds backups;
    private final Duration hazardsInterval;
    private final RescueWatch rescues;
    private final WatchedDatabases databases;
    private final AtomicBoolean discovering = new AtomicBoolean();
    private volatile @Nullable Thread watchThread;

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
        this.hazards = new HazardRounds(holders, volumes, mapped, settings.holdersTimeout());
        this.backups = new BackupRounds(settings);
        this.hazardsInterval = hazardsInterval;
        this.rescues = new RescueWatch(holders, settings.holdersTimeout());
        WatchedFactory factory = new WatchedFactory(
                settings,
                settings.readLimits(),
                settings.retention(),
                new Forensics(holders, volumes, settings.holdersTimeout(), time.clock()),
                own,
                holders,
                listener,
                time,
                new StrandedFactory(settings.stranded(), rescues, volumes));
        this.databases = new WatchedDatabases(factory, listener, backups);
    }

    /** Starts the threads. Databases are found by them, so this returns at once. */
    public void start() {
        if (isRunning()) {
            return;
        }
        Rounds rounds = new Rounds(new Watch(settings), new Checks(settings));
        Thread thread = new Thread(rounds.watch(), "sqlite-health-watch");
        thread.setDaemon(true);
        this.watchThread = thread;
        backups.start();
        databases.start(rounds);
        rescues.start();
        thread.start();
        rounds.checks()
                .executor()
                .scheduleWithFixedDelay(
                        () -> {
                            databases.monitors().forEach(each -> Looks.guarded(each, each::openAnchor));
                            lookForHazards(databases.monitors());
                        },
                        hazardsInterval.toNanos(),
                        hazardsInterval.toNanos(),
                        TimeUnit.NANOSECONDS);
        discovering.set(false);
        discoverSoon();
    }

    private void discover(Rounds rounds) {
        Set<DatabaseMonitor> before = Set.copyOf(databases.monitors());
        try {
            List<Database> found = discovery.discover();
            databases.add(found, rounds);
            // One that was removed between the two was not found by whoever removed it.
            found.stream()
                    .filter(database -> !discovery.isWanted(database))
                    .forEach(database -> databases.remove(database.name(), database));
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The search for databases failed; it will be tried again", ex);
        }
        ScheduledThreadPoolExecutor executor = rounds.checks().executor();
        if (executor.isShutdown()) {
            return;
        }
        lookForHazards(databases.monitors().stream()
                .filter(monitor -> !before.contains(monitor))
                .toList());
        if (!discovery.complete()) {
            executor.schedule(() -> discover(rounds), DISCOVERY_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            discovering.set(false);
            if (!discovery.complete()) {
                discoverSoon();
            }
        }
    }

    private void lookForHazards(List<DatabaseMonitor> monitors) {
        monitors.forEach(each -> Looks.guarded(each, each::lookAtConnections));
        hazards.look(monitors);
    }

    /** There may be something new to be found. */
    public void discoverSoon() {
        Rounds rounds = databases.rounds();
        if (rounds != null && discovering.compareAndSet(false, true)) {
            rounds.checks().executor().execute(() -> discover(rounds));
        }
    }

    /** Stops the threads, then closes what is held open, before the application closes its pools. */
    public void stop() {
        Rounds rounds = databases.rounds();
        Thread thread = watchThread;
        if (rounds == null || thread == null) {
            return;
        }
        backups.stop();
        rounds.watch().stop();
        thread.interrupt();
        rounds.checks().stop();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        rescues.stop();
        databases.stop();
        this.watchThread = null;
    }

    public boolean isRunning() {
        return watchThread != null;
    }

    /** The databases that are watched, in the order in which they were found. */
    public List<WatchedDatabase> databases() {
        return List.copyOf(databases.all());
    }

    /** Why a {@code DataSource} bean is not watched; empty when it is, or when nothing is known of it. */
    public Optional<String> whyNotWatched(String dataSource) {
        return Optional.ofNullable(discovery.notWatched().get(dataSource));
    }

    /** The database of this name, or the one that the {@code DataSource} bean of this name uses. */
    public Optional<WatchedDatabase> database(String name) {
        return databases.find(name);
    }

    /**
     * Watches a database no longer. When this returns, the monitor holds nothing of it open.
     *
     * @return whether there was one of this name
     */
    public boolean remove(String name) {
        return databases.remove(name);
    }
}
