package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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
     * Whether the application holds a connection open now: false only when it is known to hold none. Never blocks. Any
     * thread may ask.
     */
    boolean mayBeOpen();

    /** Something that is done to a connection and is over at once: it must neither read nor wait. */
    @FunctionalInterface
    interface Touch {

        void on(Connection connection) throws SQLException;
    }

    /**
     * Touches every connection that is idle at this moment, be it the last one. Never blocks. Any thread may ask.
     *
     * @param which have to be touched
     * @return all connections that are open, in use or not; null when they cannot be seen
     */
    default @Nullable List<Connection> touchIdle(Predicate<Connection> which, Touch touch) {
        return null;
    }
}
