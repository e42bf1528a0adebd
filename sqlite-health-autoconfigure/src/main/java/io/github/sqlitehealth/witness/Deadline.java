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

    /** A cancel that comes before SQLite has begun with the statement is lost, so it is repeated. */
    private static final long AGAIN_MILLIS = 10;

    private final Statement statement;
    private CompletableFuture<Void> timer;
    private boolean closed;

    Deadline(Statement statement, Duration limit) {
        this.statement = statement;
        this.timer = after(Math.max(1, limit.toMillis()));
        RunningRead.begin(this);
    }

    private CompletableFuture<Void> after(long millis) {
        // The JDK's own shared timer thread: the monitor adds none for this. Unlike a delayed executor, this one
        // forgets
        // at once what is cancelled; thousands of closed connections would wait for their time-out in its queue.
        CompletableFuture<Void> timer =
                new CompletableFuture<Void>().completeOnTimeout(null, millis, TimeUnit.MILLISECONDS);
        timer.thenRun(this::expire);
        return timer;
    }

    private synchronized void expire() {
        cancel();
        if (!closed) {
            timer = after(AGAIN_MILLIS);
        }
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
