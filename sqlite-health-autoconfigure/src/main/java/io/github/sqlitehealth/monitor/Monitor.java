package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Timepiece;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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

    private final Settings settings;
    private final Discovery discovery;
    private final MonitorListener listener;
    private final Timepiece time;
    private final OwnDescriptors own;
    private final Holders holders;
    private final Forensics forensics;
    private final List<DatabaseMonitor> monitors = new CopyOnWriteArrayList<>();
    private final List<Watched> databases = new CopyOnWriteArrayList<>();

    private @Nullable Watch watch;
    private @Nullable Thread watchThread;
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
        this.settings = settings;
        this.discovery = discovery;
        this.listener = listener;
        this.time = time;
        this.own = own;
        this.holders = holders;
        this.forensics = new Forensics(holders, volumes, settings.holdersTimeout(), time.clock());
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
        monitors.forEach(monitor -> {
            monitor.resume();
            watch.add(monitor);
            checks.add(monitor);
        });
        thread.start();
        checks.executor().execute(() -> discover(watch, checks));
    }

    private void discover(Watch watch, Checks checks) {
        try {
            for (Database database : discovery.discover()) {
                add(database, watch, checks);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The search for databases failed; it will be tried again", ex);
        }
        if (!discovery.complete() && !checks.executor().isShutdown()) {
            checks.executor().schedule(() -> discover(watch, checks), DISCOVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void add(Database database, Watch watch, Checks checks) throws InterruptedException {
        for (DatabaseMonitor known : monitors) {
            if (known.database().file().equals(database.file())) {
                known.join(database);
                log.info("Watching {} for {}, too", database.file(), database.name());
                return;
            }
        }
        DatabaseMonitor monitor = new DatabaseMonitor(database, settings, forensics, own, holders, listener, time);
        monitors.add(monitor);
        monitor.begin();
        Watched watched = new Watched(monitor, this::onCheckThread);
        databases.add(watched);
        listener.added(watched);
        watch.add(monitor);
        checks.add(monitor);
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
        watch.stop();
        thread.interrupt();
        checks.stop();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        this.checks = null;
        databases.forEach(Watched::stopped);
        monitors.forEach(DatabaseMonitor::close);
        this.watch = null;
        this.watchThread = null;
    }

    public boolean isRunning() {
        return watchThread != null;
    }

    /** The databases that are watched, in the order in which they were found. */
    public List<WatchedDatabase> databases() {
        return new ArrayList<>(databases);
    }

    /** Why a {@code DataSource} bean is not watched; empty when it is, or when nothing is known of it. */
    public Optional<String> whyNotWatched(String dataSource) {
        return Optional.ofNullable(discovery.notWatched().get(dataSource));
    }

    /** The database of this name, or the one that the {@code DataSource} bean of this name uses. */
    public Optional<WatchedDatabase> database(String name) {
        return databases.stream()
                .filter(database ->
                        database.name().equals(name) || database.dataSources().contains(name))
                .<WatchedDatabase>map(database -> database)
                .findFirst();
    }
}
