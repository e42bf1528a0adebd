package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.LiveHandles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One setting on all connections of an application to a database: on the idle ones at once, on the others and on new ones
 * when it is asked again. Remembers what each had before. Thread-safe; never waits for a connection.
 */
public final class PooledPragma {

    private final Collection<LiveHandles> handles;
    private final String name;
    private final int value;
    private final Map<Connection, Integer> before = new IdentityHashMap<>();

    private PooledPragma(Collection<LiveHandles> handles, String name, int value) {
        this.handles = handles;
        this.name = name;
        this.value = value;
    }

    /** No commit checkpoints any more. The setting reads nothing and touches no file. */
    public static PooledPragma noCheckpoints(Collection<LiveHandles> handles) {
        return new PooledPragma(handles, "wal_autocheckpoint", 0);
    }

    /** Every write fails: what cannot be kept is not acknowledged. */
    public static PooledPragma noWrites(Collection<LiveHandles> handles) {
        return new PooledPragma(handles, "query_only", 1);
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

    /** Sets it where that is possible now. */
    public synchronized Coverage set() {
        return touch(connection -> !before.containsKey(connection), connection -> {
            int was = ask(connection);
            tell(connection, value);
            before.put(connection, was);
        });
    }

    /** How far it has come, without going on. */
    public synchronized Coverage look() {
        return touch(connection -> false, connection -> {});
    }

    /** Gives the connections back what they had, as far as that is possible now. */
    public synchronized Coverage restore() {
        if (before.isEmpty()) {
            return new Coverage(0, 0, 0);
        }
        return touch(before::containsKey, connection -> {
            tell(connection, before.getOrDefault(connection, value));
            before.remove(connection);
        });
    }

    private Coverage touch(Predicate<Connection> which, LiveHandles.Touch touch) {
        List<Connection> open = new ArrayList<>();
        int unseen = 0;
        for (LiveHandles each : handles) {
            List<Connection> theirs = each.touchIdle(which, touch);
            if (theirs == null) {
                unseen++;
            } else {
                open.addAll(theirs);
            }
        }
        before.keySet().retainAll(open);
        return new Coverage(before.size(), open.size(), unseen);
    }

    private int ask(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + name)) {
            row.next();
            return row.getInt(1);
        }
    }

    private void tell(Connection connection, int setting) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA " + name + '=' + setting);
        }
    }
}
