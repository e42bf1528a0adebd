package io.github.sqlitehealth.witness;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.util.ConcurrentBag;
import com.zaxxer.hikari.util.ConcurrentBag.IConcurrentBagEntry;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;
import org.sqlite.core.DB;

/**
 * Connections of a HikariCP pool, each in its turn. {@code getConnection} gives a thread the connection that it had
 * before, for ever the same, and waits for half a minute when there is none. So an idle entry is reserved in the pool's
 * bag, as Hikari's own housekeeper does it: that never waits, and the application sees one idle connection fewer.
 */
public final class HikariHandles implements LiveHandles {

    private static final Logger log = LoggerFactory.getLogger(HikariHandles.class);

    private final HikariDataSource pool;
    private final BooleanSupplier mayGrow;

    /** Those that were in the bag when somebody asked. */
    private final Set<Connection> seen = Collections.newSetFromMap(new WeakHashMap<>());

    /**
     * @param pool of the application
     * @param mayGrow whether a new connection of the pool would work; those of a stranded process do not
     */
    public HikariHandles(HikariDataSource pool, BooleanSupplier mayGrow) {
        this.pool = pool;
        this.mayGrow = mayGrow;
    }

    @Override
    public @Nullable LiveHandle take(Set<String> not) throws SQLException {
        ConcurrentBag<IConcurrentBagEntry> bag = bag();
        if (bag == null || pool.isClosed()) {
            return null;
        }
        for (IConcurrentBagEntry entry : bag.values(IConcurrentBagEntry.STATE_NOT_IN_USE)) {
            if (not.contains(name(entry)) || !bag.reserve(entry)) {
                continue;
            }
            boolean spare = spare(bag);
            Connection connection = connection(entry);
            if (connection == null || !(spare || pool.getMaximumPoolSize() == 1)) {
                bag.unreserve(entry);
                return null;
            }
            return new LiveHandle(name(entry), connection, spare, () -> {
                endTransaction(connection);
                bag.unreserve(entry);
            });
        }
        return null;
    }

    /** Whether the application can get a connection while this one is away: another idle one, or a new one. */
    private boolean spare(ConcurrentBag<IConcurrentBagEntry> bag) {
        return bag.getCount(IConcurrentBagEntry.STATE_NOT_IN_USE) > 0
                || (mayGrow.getAsBoolean() && bag.size() < pool.getMaximumPoolSize());
    }

    @Override
    public Set<String> open() {
        ConcurrentBag<IConcurrentBagEntry> bag = bag();
        Set<String> names = new HashSet<>();
        if (bag != null) {
            bag.values().forEach(entry -> names.add(name(entry)));
        }
        return names;
    }

    @Override
    public boolean replaceAll() {
        HikariPoolMXBean running = pool.getHikariPoolMXBean();
        if (running == null) {
            return false;
        }
        running.softEvictConnections();
        return true;
    }

    /** A connection leaves the bag before it is closed, by another thread: until it is, it is open. */
    @Override
    public boolean mayBeOpen() {
        synchronized (seen) {
            List<Connection> pooled = connections();
            seen.addAll(pooled);
            seen.removeIf(connection -> !pooled.contains(connection) && isClosed(connection));
            return !seen.isEmpty();
        }
    }

    private static boolean isClosed(Connection connection) {
        try {
            if (!connection.isClosed()) {
                return false;
            }
            // It says so when it begins to close, and lets nobody in until it is done.
            DB database = connection.unwrap(SQLiteConnection.class).getDatabase();
            synchronized (database) {
                return true;
            }
        } catch (SQLException ex) {
            return true;
        }
    }

    @Override
    public List<Connection> connections() {
        ConcurrentBag<IConcurrentBagEntry> bag = bag();
        List<Connection> open = new ArrayList<>();
        for (IConcurrentBagEntry entry : bag == null ? List.<IConcurrentBagEntry>of() : bag.values()) {
            Connection connection = connection(entry);
            if (connection != null) {
                open.add(connection);
            }
        }
        return open;
    }

    /** An idle connection has no transaction open; with autocommit off, our read has begun one. */
    private static void endTransaction(Connection connection) {
        try {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException ex) {
            log.debug("The read of a check could not be ended", ex);
        }
    }

    private static String name(IConcurrentBagEntry entry) {
        return "connection-" + Integer.toHexString(System.identityHashCode(entry));
    }

    /** Whether this version of HikariCP can be asked in this way. */
    public static boolean works() {
        return HikariInternals.BAG != null;
    }

    @SuppressWarnings("unchecked")
    private @Nullable ConcurrentBag<IConcurrentBagEntry> bag() {
        return pool.getHikariPoolMXBean() instanceof HikariPool running
                ? (ConcurrentBag<IConcurrentBagEntry>) HikariInternals.read(HikariInternals.BAG, running)
                : null;
    }

    private static @Nullable Connection connection(IConcurrentBagEntry entry) {
        return (Connection) HikariInternals.read(HikariInternals.CONNECTION, entry);
    }
}
