package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.LiveHandles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;

/**
 * One setting on all connections of an application to a database, those in use included: on a busy pool a connection is
 * hardly ever idle. SQLite lets two threads take turns on one connection, and the setting touches neither files nor
 * transactions. It waits for the statement that is running, so each is set by a thread of its own. Remembers what each
 * connection had before. Thread-safe; never blocks.
 */
public final class PooledPragma {

    private static final Logger log = LoggerFactory.getLogger(PooledPragma.class);

    private final Collection<LiveHandles> handles;
    private final Executor threads;
    private final String name;
    private final int value;

    /** Made when they are first needed, which is never for most databases. */
    private Map<Connection, Integer> before = Map.of();

    private Set<Connection> underWay = Set.of();

    private PooledPragma(Collection<LiveHandles> handles, Executor threads, String name, int value) {
        this.handles = handles;
        this.threads = threads;
        this.name = name;
        this.value = value;
    }

    /** No commit checkpoints any more. */
    public static PooledPragma noCheckpoints(Collection<LiveHandles> handles, Executor threads) {
        return new PooledPragma(handles, threads, "wal_autocheckpoint", 0);
    }

    /** Every write fails: what cannot be kept is not acknowledged. */
    public static PooledPragma noWrites(Collection<LiveHandles> handles, Executor threads) {
        return new PooledPragma(handles, threads, "query_only", 1);
    }

    /**
     * How far a setting has come.
     *
     * @param covered connections that have it
     * @param open connections that can be seen
     * @param unseen {@code DataSource}s whose connections cannot
     */
    public record Coverage(int covered, int open, int unseen) {

        /** Whether no connection can be without it. */
        public boolean whole() {
            return covered == open && unseen == 0;
        }
    }

    /** Goes on to set it on connections that do not have it yet; how far that has come. */
    public Coverage set() {
        return step(true);
    }

    /** Goes on to give the connections back what they had; how many still have the setting. */
    public Coverage restore() {
        return step(false);
    }

    private synchronized Coverage step(boolean set) {
        Coverage now = look();
        for (LiveHandles each : handles) {
            List<Connection> theirs = each.connections();
            for (Connection connection : theirs == null ? List.<Connection>of() : theirs) {
                if (before.containsKey(connection) != set && begin(connection)) {
                    threads.execute(() -> apply(connection, set));
                }
            }
        }
        return now;
    }

    private boolean begin(Connection connection) {
        if (underWay.isEmpty()) {
            underWay = Collections.newSetFromMap(new IdentityHashMap<>());
        }
        return underWay.add(connection);
    }

    /** How far it has come, without going on. */
    public synchronized Coverage look() {
        List<Connection> open = new ArrayList<>();
        int unseen = 0;
        for (LiveHandles each : handles) {
            List<Connection> theirs = each.connections();
            if (theirs == null) {
                unseen++;
            } else {
                open.addAll(theirs);
            }
        }
        if (!before.isEmpty()) {
            before.keySet().retainAll(open);
        }
        return new Coverage(before.size(), open.size(), unseen);
    }

    private void apply(Connection connection, boolean set) {
        try {
            if (set) {
                int was = ask(connection);
                tell(connection, value);
                done(connection, was);
            } else {
                tell(connection, had(connection));
                done(connection, null);
            }
        } catch (SQLException | RuntimeException ex) {
            log.debug("{} could not be set on a connection; it will be tried again", name, ex);
        } finally {
            synchronized (this) {
                underWay.remove(connection);
            }
        }
    }

    private synchronized int had(Connection connection) {
        return before.getOrDefault(connection, value);
    }

    private synchronized void done(Connection connection, @Nullable Integer was) {
        if (before.isEmpty()) {
            before = new IdentityHashMap<>();
        }
        if (was == null) {
            before.remove(connection);
        } else {
            before.put(connection, was);
        }
    }

    private int ask(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + name)) {
            row.next();
            return row.getInt(1);
        }
    }

    /**
     * Not as a statement of JDBC: after each that returns nothing the driver begins and commits a transaction, which must
     * not happen between two steps of somebody else's.
     */
    private void tell(Connection connection, int setting) throws SQLException {
        int code = connection.unwrap(SQLiteConnection.class).getDatabase()._exec("PRAGMA " + name + '=' + setting);
        if (code != 0) {
            throw new SQLException("PRAGMA " + name + " was refused with code " + code, null, code);
        }
    }
}
