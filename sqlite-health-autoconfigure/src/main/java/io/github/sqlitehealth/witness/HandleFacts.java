package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What one connection believes about its database; two that disagree see different worlds.
 *
 * @param dataVersion changes whenever another connection commits
 * @param schemaVersion grows with every change of the schema
 * @param pageCount pages of the database
 * @param freelistCount unused ones among them
 * @param journalMode such as {@code wal} or {@code delete}
 * @param walAutocheckpoint pages in the WAL after which a commit checkpoints; 0 or less for never
 * @param synchronous 0 (OFF), 1 (NORMAL), 2 (FULL) or 3 (EXTRA)
 */
public record HandleFacts(
        long dataVersion,
        long schemaVersion,
        long pageCount,
        long freelistCount,
        String journalMode,
        long walAutocheckpoint,
        long synchronous) {

    /** Asks a connection; reads the header page at most. */
    public static HandleFacts of(Connection connection) throws SQLException {
        return new HandleFacts(
                number(connection, "data_version"),
                number(connection, "schema_version"),
                number(connection, "page_count"),
                number(connection, "freelist_count"),
                text(connection, "journal_mode"),
                number(connection, "wal_autocheckpoint"),
                number(connection, "synchronous"));
    }

    /** Whether a crash in the middle of a transaction cannot be undone. */
    boolean unsafeJournal() {
        return journalMode.equalsIgnoreCase("off") || journalMode.equalsIgnoreCase("memory");
    }

    /** Whether a crash of the program or of the system may cost the database. */
    boolean unsafe() {
        return synchronous == 0 || unsafeJournal();
    }

    static long number(Connection connection, String pragma) throws SQLException {
        return Long.parseLong(text(connection, pragma));
    }

    static String text(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA main." + pragma)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "0";
        }
    }
}
