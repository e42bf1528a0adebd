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

    /** What a connection calls the database that it was opened on. */
    static final String MAIN = "main";

    /** Asks a connection for the database that it was opened on; reads the header page at most. */
    public static HandleFacts of(Connection connection) throws SQLException {
        return of(connection, MAIN);
    }

    static HandleFacts of(Connection connection, String schema) throws SQLException {
        return new HandleFacts(
                number(connection, schema, "data_version"),
                number(connection, schema, "schema_version"),
                number(connection, schema, "page_count"),
                number(connection, schema, "freelist_count"),
                text(connection, schema, "journal_mode").intern(),
                number(connection, schema, "wal_autocheckpoint"),
                number(connection, schema, "synchronous"));
    }

    /** Whether a crash in the middle of a transaction cannot be undone. */
    boolean unsafeJournal() {
        return journalMode.equalsIgnoreCase("off") || journalMode.equalsIgnoreCase("memory");
    }

    /** Whether the connections are set in the same way, whatever they see. */
    public boolean isSetAs(HandleFacts other) {
        return journalMode.equals(other.journalMode)
                && walAutocheckpoint == other.walAutocheckpoint
                && synchronous == other.synchronous;
    }

    /** Whether a crash of the program or of the system may cost the database. */
    boolean unsafe() {
        return synchronous == 0 || unsafeJournal();
    }

    static long number(Connection connection, String schema, String pragma) throws SQLException {
        return Long.parseLong(text(connection, schema, pragma));
    }

    static String text(Connection connection, String schema, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("PRAGMA " + PageCheck.quoted(schema) + "." + pragma)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "0";
        }
    }
}
