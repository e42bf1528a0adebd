package io.github.sqlitehealth.witness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
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

    /**
     * @param dataSource of the application
     * @param file its database: where there is none, no connection is asked for, since that would create it
     */
    public DataSourceHandles(DataSource dataSource, Path file) {
        this.dataSource = dataSource;
        this.file = file;
    }

    @Override
    public @Nullable LiveHandle take(Set<String> not) throws SQLException {
        if (!not.isEmpty() || !Files.exists(file)) {
            return null;
        }
        Connection connection = dataSource.getConnection();
        try {
            if (!connection.getAutoCommit()) {
                // Whose transaction this is cannot be told, and to end it might be to undo the application's work.
                connection.close();
                return null;
            }
        } catch (SQLException ex) {
            connection.close();
            throw ex;
        }
        return new LiveHandle(NAME, connection, HandleFacts.MAIN, true, () -> close(connection));
    }

    @Override
    public Set<String> open() {
        return Set.of();
    }

    @Override
    public boolean replaceAll() {
        return false;
    }

    @Override
    public boolean mayBeOpen() {
        return true;
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException ex) {
            log.debug("A connection could not be given back", ex);
        }
    }
}
