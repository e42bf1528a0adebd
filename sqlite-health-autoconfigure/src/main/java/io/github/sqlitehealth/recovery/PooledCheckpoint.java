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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
     * Waits for one connection after another.
     *
     * @param limit for each of them
     * @return whether all is in the main file now; else it is as it was at some commit
     */
    public boolean run(Duration limit) {
        return handles.stream()
                .map(LiveHandles::connections)
                .flatMap(theirs -> theirs == null ? List.<Connection>of().stream() : theirs.stream())
                .anyMatch(connection -> isDone(connection, limit));
    }

    private boolean isDone(Connection connection, Duration limit) {
        try {
            return CompletableFuture.supplyAsync(() -> checkpoint(connection), threads)
                    .get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException ex) {
            log.debug("A connection did not checkpoint; another one may", ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Inside a transaction SQLite refuses it. */
    private static boolean checkpoint(Connection connection) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
            return row.next() && row.getInt(1) == 0 && row.getInt(2) == row.getInt(3);
        } catch (SQLException ex) {
            log.debug("A connection could not checkpoint; another one may", ex);
            return false;
        }
    }
}
