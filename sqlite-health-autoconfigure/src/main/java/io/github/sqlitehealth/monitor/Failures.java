package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.StatementErrors;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the errors of the application's statements set going on the check thread. However many come, one look at the
 * commits is under way, and one check of the pages a minute.
 */
final class Failures implements StatementErrors.Listener {

    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private static final long LOOK_MILLIS = 500;
    private static final long APART = Duration.ofMinutes(1).toNanos();

    private final DatabaseMonitor database;
    private final ScheduledExecutorService checkThread;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicLong lastCheck = new AtomicLong(System.nanoTime() - APART);

    Failures(DatabaseMonitor database, ScheduledExecutorService checkThread) {
        this.database = database;
        this.checkThread = checkThread;
    }

    @Override
    public void failed(boolean pages) {
        if (looking.compareAndSet(false, true)) {
            schedule(this::lookAtWrites, 0);
        }
        long last = lastCheck.get();
        long now = System.nanoTime();
        if (pages && now - last >= APART && lastCheck.compareAndSet(last, now)) {
            schedule(this::checkPages, 0);
        }
    }

    private void lookAtWrites() {
        try {
            database.lookAtWrites();
        } finally {
            if (database.writesWaiting()) {
                schedule(this::lookAtWrites, LOOK_MILLIS);
            } else {
                looking.set(false);
                // An error that came in between found somebody looking.
                if (database.writesWaiting()) {
                    failed(false);
                }
            }
        }
    }

    private void checkPages() {
        database.runAfterFailure();
    }

    private void schedule(Runnable work, long millis) {
        try {
            checkThread.schedule(
                    () -> {
                        try {
                            work.run();
                        } catch (RuntimeException | LinkageError ex) {
                            log.warn("What follows the errors of statements failed; the next one will be tried", ex);
                        }
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            looking.set(false);
        }
    }
}
