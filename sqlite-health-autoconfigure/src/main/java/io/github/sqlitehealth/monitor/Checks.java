package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.witness.RunningRead;
import java.time.Duration;
import java.util.PriorityQueue;
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

    /** The next check of each kind of each database, guarded by itself: the executor knows only the first of them. */
    private final PriorityQueue<Due> due = new PriorityQueue<>();

    private final CheckBudget budget;
    private @Nullable ScheduledFuture<?> next;
    private volatile @Nullable Thread thread;

    /**
     * A check that will be done.
     *
     * @param at when, as a reading of {@link System#nanoTime()}
     * @param took how long it took last
     */
    private record Due(DatabaseMonitor database, Check check, long at, Duration took) implements Comparable<Due> {

        @Override
        public int compareTo(Due other) {
            return Long.signum(at - other.at);
        }
    }

    Checks(Settings settings) {
        this.settings = settings;
        this.budget = new CheckBudget(settings.maxCheckLoad());
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
        schedule(database, Check.QUICK, quickFirst ? soon : settings.quickInterval(), Duration.ZERO);
        Duration full = first == Check.FULL ? soon : longer(soon, database.untilFullCheck(settings.fullInterval()));
        schedule(database, Check.FULL, full, Duration.ZERO);
    }

    private Duration interval(Check check) {
        return check == Check.FULL ? settings.fullInterval() : settings.quickInterval();
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** No check of this database begins any more; one that runs is cut short, and has ended when this returns. */
    void remove(DatabaseMonitor database) {
        synchronized (due) {
            due.removeIf(each -> each.database() == database);
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

    private void schedule(DatabaseMonitor database, Check check, Duration delay, Duration took) {
        synchronized (due) {
            if (database.isRetired()) {
                return;
            }
            due.add(new Due(database, check, System.nanoTime() + delay.toNanos(), took));
            wakeForFirst();
        }
    }

    private void wakeForFirst() {
        Due first = due.peek();
        if (next != null) {
            next.cancel(false);
        }
        try {
            next = first == null
                    ? null
                    : executor.schedule(this::runFirst, first.at() - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            log.debug("No check any more: the monitor has stopped");
        }
    }

    private void runFirst() {
        Due first;
        synchronized (due) {
            first = due.peek();
            if (first == null || first.at() - System.nanoTime() > 0) {
                wakeForFirst();
                return;
            }
            due.remove();
        }
        run(first);
    }

    private void run(Due check) {
        DatabaseMonitor database = check.database();
        long start = System.nanoTime();
        try {
            database.run(check.check());
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The {} check of {} failed; the next one will be tried",
                    check.check().key(),
                    database.database().file(),
                    ex);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Duration rest;
        synchronized (due) {
            double[] others = due.stream()
                    .mapToDouble(each -> CheckBudget.load(each.took(), interval(each.check())))
                    .toArray();
            rest = budget.restAfter(took, interval(check.check()), others);
        }
        if (check.check() == Check.FULL && !executor.isShutdown()) {
            database.nextFullCheckIn(rest);
        }
        schedule(database, check.check(), rest, took);
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
