package io.github.sqlitehealth.witness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.sqlite.SQLiteConnection;

/** Copies all that a connection sees at one moment into an empty file. Writers are not held up. */
public final class WholeCopy {

    private static final int SQLITE_ERROR = 1;
    private static final int ALL_PAGES = -1;

    private WholeCopy() {}

    /**
     * Copies what the tables hold, without unused pages. It can be cancelled, see {@link RunningRead}.
     *
     * @param limit how long it may take
     * @throws SQLException INTERRUPT at the limit
     */
    @SuppressWarnings("try") // the deadline is there to be closed
    public static void vacuumInto(Connection connection, Path file, Duration limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("VACUUM INTO ?");
                Deadline deadline = new Deadline(statement, limit)) {
            statement.setString(1, file.toAbsolutePath().toString());
            statement.execute();
        }
    }

    /** Whether it failed for want of something that only the application's connections have, such as a collation. */
    public static boolean lacksSomething(SQLException failure) {
        return (failure.getErrorCode() & 0xff) == SQLITE_ERROR;
    }

    /** Copies page by page, which needs to understand nothing of what is in them. It cannot be cancelled. */
    public static void pages(Connection connection, Path file) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            // Reading begins the transaction; without one the copy would begin again with every commit.
            try (ResultSet schema = statement.executeQuery("SELECT count(*) FROM sqlite_schema")) {
                schema.next();
            }
            int code = connection
                    .unwrap(SQLiteConnection.class)
                    .getDatabase()
                    .backup(HandleFacts.MAIN, file.toAbsolutePath().toString(), null, 1, 1, ALL_PAGES);
            if (code != 0) {
                throw new SQLException("the copy page by page ended with code " + code, null, code);
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
