package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.RunningRead;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schedule of the backups: a thread of its own for all databases, since a backup may take long, and only once there
 * is one to take.
 */
final class BackupRounds {

    /** When to come again to somebody else's work. */
    static final Duration SOON = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(BackupRounds.class);

    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final Settings settings;
    private final Set<BackupDuty> duties = ConcurrentHashMap.newKeySet();
    private final Map<BackupDuty, ScheduledFuture<?>> due = new ConcurrentHashMap<>();
    private volatile @Nullable ScheduledThreadPoolExecutor executor;
    private volatile @Nullable Thread thread;

    BackupRounds(Settings settings) {
        this.settings = settings;
    }

    void start() {
        ScheduledThreadPoolExecutor created = new ScheduledThreadPoolExecutor(1, work -> {
            Thread worker = new Thread(work, "sqlite-health-backup");
            worker.setDaemon(true);
            thread = worker;
            return worker;
        });
        created.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        created.setRemoveOnCancelPolicy(true);
        executor = created;
    }

    void add(BackupDuty duty) {
        duties.add(duty);
        duty.resume();
        if (settings.backup().enabled()) {
            // Before one is taken: what earlier processes have left is to be told at once.
            lookSoon(duty);
            schedule(duty, settings.quickInitialDelay());
        }
    }

    /** On the thread of today: after a stop and a start it is another one. */
    void execute(Runnable work) {
        ScheduledThreadPoolExecutor today = executor;
        if (today == null) {
            throw new RejectedExecutionException("The monitor has stopped");
        }
        today.execute(work);
    }

    private void schedule(BackupDuty duty, Duration delay) {
        ScheduledThreadPoolExecutor today = executor;
        if (today == null) {
            return;
        }
        try {
            due.put(duty, today.schedule(() -> round(duty), delay.toNanos(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException ex) {
            log.debug("No backup any more: the monitor has stopped", ex);
        }
    }

    private void round(BackupDuty duty) {
        Duration wait = settings.backup().retry();
        try {
            wait = duty.round();
        } catch (RuntimeException | LinkageError ex) {
            failed(duty, ex);
        }
        if (duties.contains(duty)) {
            schedule(duty, wait);
        }
    }

    private void lookSoon(BackupDuty duty) {
        try {
            execute(() -> look(duty));
        } catch (RejectedExecutionException ex) {
            log.debug("No look for backups any more: the monitor has stopped", ex);
        }
    }

    private static void look(BackupDuty duty) {
        try {
            duty.look();
        } catch (RuntimeException | LinkageError ex) {
            failed(duty, ex);
        }
    }

    private static void failed(BackupDuty duty, Throwable failure) {
        log.warn(
                "The look for backups in {} failed; the next one will be tried",
                duty.directory().path(),
                failure);
    }

    /** No backup of this database begins any more; one that runs is given up, and has ended when this returns. */
    void remove(BackupDuty duty) {
        duties.remove(duty);
        ScheduledFuture<?> scheduled = due.remove(duty);
        if (scheduled != null) {
            scheduled.cancel(false);
        }
        duty.cancel();
        Thread worker = thread;
        long start = System.nanoTime();
        while (duty.isWorking() && worker != null && System.nanoTime() - start < CLOSING.toNanos()) {
            RunningRead.cancel(worker);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Gives up a backup that runs. Returns when it has ended, or after ten seconds: SQLite copies on to the end. */
    void stop() {
        ScheduledThreadPoolExecutor today = executor;
        executor = null;
        if (today == null) {
            return;
        }
        duties.forEach(BackupDuty::cancel);
        duties.clear();
        due.clear();
        today.shutdownNow();
        long start = System.nanoTime();
        try {
            while (!today.awaitTermination(20, TimeUnit.MILLISECONDS)
                    && System.nanoTime() - start < CLOSING.toNanos()) {
                Thread worker = thread;
                if (worker != null) {
                    RunningRead.cancel(worker);
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
