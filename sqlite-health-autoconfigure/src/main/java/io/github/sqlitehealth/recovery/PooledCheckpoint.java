package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.LiveHandles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;

/**
 * Moves what is in the WAL into the main file, as the last connection that closes does, through any connection of the
 * application that can: our own cannot write.
 */
public final class PooledCheckpoint {

    private static final Logger log = LoggerFactory.getLogger(PooledCheckpoint.class);

    private final Collection<LiveHandles> handles;
    private final Executor threads;

    /** @param threads since a connection may be at work for long */
    public PooledCheckpoint(Collection<LiveHandles> handles, Executor threads) {
        this.handles = handles;
        this.threads = threads;
    }

    /**
     * Waits for one connection after another, and for a checkpoint that has begun until it ends: whoever ends the process
     * in the middle of one leaves a main file that is half of each.
     *
     * @param patience with each connection that is at work
     * @return whether all is in the main file now
     */
    public boolean run(Duration patience) {
        return handles.stream()
                .map(LiveHandles::connections)
                .flatMap(theirs -> theirs == null ? List.<Connection>of().stream() : theirs.stream())
                .anyMatch(connection -> isDone(connection, patience));
    }

    private boolean isDone(Connection connection, Duration patience) {
        AtomicBoolean decided = new AtomicBoolean();
        CompletableFuture<Boolean> done = CompletableFuture.supplyAsync(() -> checkpoint(connection, decided), threads);
        try {
            return done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException ex) {
            log.debug("A connection did not checkpoint; another one may", ex);
            return false;
        } catch (TimeoutException | InterruptedException ex) {
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            // Neither a time-out nor an interrupt may end the wait for one that has begun.
            return !decided.compareAndSet(false, true)
                    && done.exceptionally(failure -> false).join();
        }
    }

    /** Inside a transaction SQLite refuses it. */
    private static boolean checkpoint(Connection connection, AtomicBoolean decided) {
        try {
            // Whoever has this has the connection: the driver takes it for each step of a statement.
            synchronized (connection.unwrap(SQLiteConnection.class).getDatabase()) {
                return decided.compareAndSet(false, true) && checkpoint(connection);
            }
        } catch (SQLException ex) {
            log.debug("A connection could not checkpoint; another one may", ex);
            return false;
        }
    }

    private static boolean checkpoint(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
            return row.next() && row.getInt(1) == 0 && row.getInt(2) == row.getInt(3);
        }
    }
}
