package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What a database held when somebody looked: enough to notice that it is gone.
 *
 * @param inode of the main file, 0 where the system does not tell
 * @param pages its size in pages
 * @param autoVacuum whether deleted rows give their pages back at once, so that fewer pages mean nothing
 * @param schemaVersion SQLite's counter of schema changes, which only grows in one and the same database
 * @param tables its ordinary tables
 * @param filled those among them that held a row
 */
public record Content(
        long inode, long pages, boolean autoVacuum, long schemaVersion, List<String> tables, List<String> filled) {

    public Content {
        tables = List.copyOf(tables);
        filled = List.copyOf(filled);
    }

    /** Looks through a connection: one row of each table at most, never a scan. */
    static Content of(Connection connection, long inode) throws SQLException {
        List<String> tables = PageCheck.ordinaryTables(connection);
        List<String> filled = new ArrayList<>();
        for (String table : tables) {
            if (hasRow(connection, table)) {
                filled.add(table);
            }
        }
        return new Content(
                inode,
                HandleFacts.number(connection, "page_count"),
                HandleFacts.number(connection, "auto_vacuum") != 0,
                HandleFacts.number(connection, "schema_version"),
                tables,
                filled);
    }

    private static boolean hasRow(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1 FROM main." + PageCheck.quoted(table) + " LIMIT 1")) {
            return rows.next();
        }
    }
}
