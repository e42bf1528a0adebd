package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The application's own connections to one database. Only the check thread lends itself one; what says so may be asked by
 * any thread.
 */
public interface LiveHandles {

    /**
     * Lends one connection that the application does not need at this moment.
     *
     * @param not names of connections that have had their turn
     * @return null when no (further) connection can be spared
     * @throws SQLException when the application's own way to a connection fails
     */
    @Nullable
    LiveHandle take(Set<String> not) throws SQLException;

    /**
     * Lets the application have new connections in place of the ones it has: idle ones at once, the others when they
     * come back.
     *
     * @return whether that is possible here
     */
    default boolean replaceAll() {
        return false;
    }

    /** The names of all connections that are open, in use or not; empty when that cannot be told. */
    Set<String> open();

    /**
     * Whether the application holds a connection open now: false only when it is known to hold none. Waits for nothing but
     * a close that is under way. Any thread may ask.
     */
    boolean mayBeOpen();

    /**
     * All connections that are open, in use or not; null when they cannot be seen. They belong to the application: nothing
     * may be done with them that it could notice. Never blocks. Any thread may ask.
     */
    default @Nullable List<Connection> connections() {
        return null;
    }
}
