package io.github.sqlitehealth.autoconfigure;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;
import org.sqlite.SQLiteConfig;

/**
 * What a connection says of itself.
 *
 * @param sqlite whether it is a connection of SQLite
 * @param file the main file, absent for a database in memory
 * @param version of the library
 */
record Sighting(boolean sqlite, @Nullable Path file, String version) {

    /** Asks for the file, which is not read: SQLite knows its absolute path, with symbolic links resolved. */
    static Sighting of(Connection connection) throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();
        if (!"SQLite".equalsIgnoreCase(metaData.getDatabaseProductName())) {
            return new Sighting(false, null, "");
        }
        Path file = null;
        try (Statement statement = connection.createStatement();
                ResultSet databases = statement.executeQuery("PRAGMA database_list")) {
            while (databases.next()) {
                String path = databases.getString("file");
                if ("main".equals(databases.getString("name")) && StringUtils.hasText(path)) {
                    file = Path.of(path);
                }
            }
        }
        return new Sighting(true, file, metaData.getDatabaseProductVersion());
    }

    /**
     * Opens a URL read-only, so that a database that is not there is not created.
     *
     * @throws SQLException CANTOPEN when there is no file
     */
    static Sighting of(String url) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        try (Connection connection = config.createConnection(url)) {
            return of(connection);
        } catch (SQLException ex) {
            int query = url.indexOf('?');
            if (isCantOpen(ex) || query < 0) {
                throw ex;
            }
            // Some pragma of the URL, such as a journal mode, is more than a read-only connection can do.
            try (Connection connection = config.createConnection(url.substring(0, query))) {
                return of(connection);
            }
        }
    }

    static boolean isCantOpen(SQLException failure) {
        return (failure.getErrorCode() & 0xff) == 14;
    }
}
