package io.github.sqlitehealth.witness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections of any {@code DataSource}: what {@code getConnection} gives, one a check. */
public final class DataSourceHandles implements LiveHandles {

    private static final Logger log = LoggerFactory.getLogger(DataSourceHandles.class);

    private static final String NAME = "connection";

    private final DataSource dataSource;
    private final Path file;
    private final BooleanSupplier mayOpen;
    private final Predicate<Connection> toBeClosed;

    /**
     * @param dataSource of the application
     * @param file its database: where there is none, no connection is asked for, since that would create it
     * @param mayOpen whether a new connection is about the same files as the old ones; that of a stranded process is not,
     *     and would create new sidecars at the paths
     * @param toBeClosed whether a connection is given back by closing it; one that everybody shares is not
     */
    public DataSourceHandles(
            DataSource dataSource, Path file, BooleanSupplier mayOpen, Predicate<Connection> toBeClosed) {
        this.dataSource = dataSource;
        this.file = file;
        this.mayOpen = mayOpen;
        this.toBeClosed = toBeClosed;
    }

    @Override
    public @Nullable LiveHandle take(Set<String> not) throws SQLException {
        if (!not.isEmpty() || !mayOpen.getAsBoolean() || !Files.exists(file)) {
            return null;
        }
        Connection connection = dataSource.getConnection();
        try {
            if (!connection.getAutoCommit()) {
                // Whose transaction this is cannot be told, and to end it might be to undo the application's work.
                giveBack(connection);
                return null;
            }
        } catch (SQLException ex) {
            giveBack(connection);
            throw ex;
        }
        return new LiveHandle(NAME, connection, toBeClosed.test(connection), () -> giveBack(connection));
    }

    @Override
    public Set<String> open() {
        return Set.of();
    }

    @Override
    public boolean mayBeOpen() {
        return true;
    }

    private void giveBack(Connection connection) {
        try {
            if (toBeClosed.test(connection)) {
                connection.close();
            }
        } catch (SQLException ex) {
            log.debug("A connection could not be given back", ex);
        }
    }
}
