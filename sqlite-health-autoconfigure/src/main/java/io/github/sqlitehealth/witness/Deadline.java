package io.github.sqlitehealth.witness;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels a statement that runs for too long. {@code setQueryTimeout} would not: in sqlite-jdbc it is only a busy
 * time-out. Cancelling and closing exclude each other, since an interrupt that comes late would hit whatever the
 * application runs next on that connection.
 */
final class Deadline implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Deadline.class);

    private final Statement statement;
    private final CompletableFuture<Void> timer;
    private boolean closed;

    Deadline(Statement statement, Duration limit) {
        this.statement = statement;
        // The JDK's own shared timer thread: the monitor adds none for this.
        this.timer = CompletableFuture.runAsync(
                this::cancel,
                CompletableFuture.delayedExecutor(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS, Runnable::run));
        RunningRead.begin(this);
    }

    synchronized void cancel() {
        if (closed) {
            return;
        }
        try {
            statement.cancel();
        } catch (SQLException ex) {
            log.debug("A statement could not be cancelled at its time-out", ex);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        RunningRead.end(this);
        timer.cancel(false);
    }
}
