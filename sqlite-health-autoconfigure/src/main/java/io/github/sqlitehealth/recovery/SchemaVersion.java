package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.witness.FreshConnections;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;

/** Which version of its schema a database has. */
public final class SchemaVersion {

    private SchemaVersion() {}

    /**
     * Asks a new read-only connection.
     *
     * @param query that gives one number
     * @return empty when there is no file, or no number in it
     * @throws SQLException when it cannot be told
     */
    public static OptionalLong of(Path file, String query) throws SQLException {
        try {
            if (FileFacts.of(file) == null) {
                return OptionalLong.empty();
            }
        } catch (IOException ex) {
            throw new SQLException(ex.toString(), ex);
        }
        try (Connection connection = FreshConnections.open(file);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            if (!found.next()) {
                return OptionalLong.empty();
            }
            long version = found.getLong(1);
            return found.wasNull() ? OptionalLong.empty() : OptionalLong.of(version);
        }
    }
}
