package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Keeps CHECK constraints out of a check. Rows that break one are no damage, and a read-only connection does not even
 * know of them: the live connection would be the only one to complain, and would be called confused.
 */
final class Constraints implements AutoCloseable {

    private static final String IGNORE = "PRAGMA ignore_check_constraints";

    private final Connection connection;
    private final boolean ignored;

    private Constraints(Connection connection, boolean ignored) {
        this.connection = connection;
        this.ignored = ignored;
    }

    /** Ignores them until this is closed, where there are any and they were not ignored before. */
    static Constraints ignore(Connection connection) throws SQLException {
        boolean ignore = mayExist(connection)
                && !"1".equals(HandleFacts.text(connection, HandleFacts.MAIN, "ignore_check_constraints"));
        if (ignore) {
            set(connection, "ON");
        }
        return new Constraints(connection, ignore);
    }

    private static boolean mayExist(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND sql LIKE '%check%' LIMIT 1")) {
            return rows.next();
        }
    }

    private static void set(Connection connection, String value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(IGNORE + "=" + value);
        }
    }

    /** The connection goes back as it came. */
    @Override
    public void close() throws SQLException {
        if (ignored) {
            set(connection, "OFF");
        }
    }
}
