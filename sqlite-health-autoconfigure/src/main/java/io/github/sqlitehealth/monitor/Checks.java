package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.witness.RunningRead;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The schedule of the checks: one thread for all databases, so that no two checks ever run at the same time. */
final class Checks {

    private static final Logger log = LoggerFactory.getLogger(Checks.class);

    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final Settings settings;
    private final ScheduledThreadPoolExecutor executor;
    private final Map<DatabaseMonitor, Map<Check, ScheduledFuture<?>>> due = new ConcurrentHashMap<>();
    private volatile @Nullable Thread thread;

    Checks(Settings settings) {
        this.settings = settings;
        this.executor = new ScheduledThreadPoolExecutor(1, work -> {
            Thread created = new Thread(work, "sqlite-health-checks");
            created.setDaemon(true);
            thread = created;
            return created;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRemoveOnCancelPolicy(true);
    }

    ScheduledThreadPoolExecutor executor() {
        return executor;
    }

    void add(DatabaseMonitor database) {
        database.writes().onFailures(new Failures(database, executor));
        Check first = settings.firstCheck();
        Duration soon = database.isUrgent() ? Duration.ZERO : settings.quickInitialDelay();
        boolean quickFirst = first == Check.QUICK || database.isUrgent();
        schedule(database, Check.QUICK, quickFirst ? soon : settings.quickInterval());
        schedule(database, Check.FULL, first == Check.FULL ? soon : settings.fullInterval());
    }

    /** No check of this database begins any more; one that runs is cut short, and has ended when this returns. */
    void remove(DatabaseMonitor database) {
        Map<Check, ScheduledFuture<?>> scheduled = due.remove(database);
        if (scheduled != null) {
            scheduled.values().forEach(future -> future.cancel(false));
        }
        Thread checking = thread;
        long start = System.nanoTime();
        // A check may remove what it finds detached: it does not wait for itself.
        while (database.isChecking()
                && checking != null
                && checking != Thread.currentThread()
                && System.nanoTime() - start < CLOSING.toNanos()) {
            RunningRead.cancel(checking);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private void schedule(DatabaseMonitor database, Check check, Duration delay) {
        try {
            ScheduledFuture<?> future =
                    executor.schedule(() -> run(database, check), delay.toNanos(), TimeUnit.NANOSECONDS);
            due.computeIfAbsent(database, any -> new ConcurrentHashMap<>()).put(check, future);
            if (database.isRetired()) {
                remove(database);
            }
        } catch (RejectedExecutionException ex) {
            log.debug(
                    "No check of {} any more: the monitor has stopped",
                    database.database().file());
        }
    }

    private void run(DatabaseMonitor database, Check check) {
        long start = System.nanoTime();
        try {
            database.run(check);
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The {} check of {} failed; the next one will be tried",
                    check.key(),
                    database.database().file(),
                    ex);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Duration interval = check == Check.FULL ? settings.fullInterval() : settings.quickInterval();
        schedule(database, check, settings.restAfter(took, interval));
    }

    /** Ends a check that is running, and the thread. Returns when it has ended, or after ten seconds. */
    void stop() {
        executor.shutdownNow();
        long start = System.nanoTime();
        boolean interrupted = false;
        while (!executor.isTerminated() && System.nanoTime() - start < CLOSING.toNanos()) {
            Thread checking = thread;
            if (checking != null) {
                RunningRead.cancel(checking);
            }
            try {
                executor.awaitTermination(20, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                interrupted = true;
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
