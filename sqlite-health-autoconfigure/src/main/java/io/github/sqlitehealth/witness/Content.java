package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a database held when somebody looked: enough to notice that it is gone.
 *
 * @param inode of the main file, 0 where the system does not tell
 * @param pages its size in pages
 * @param autoVacuum whether deleted rows give their pages back at once, so that fewer pages mean nothing
 * @param schemaVersion SQLite's counter of schema changes, which only grows in one and the same database
 * @param tables its ordinary tables
 * @param filled those among them that held a row
 * @param met the rules of the application that were kept, as they are said to people
 * @param sequences the last row id that each AUTOINCREMENT table gave out, which outlives the rows
 */
public record Content(
        long inode,
        long pages,
        boolean autoVacuum,
        long schemaVersion,
        List<String> tables,
        List<String> filled,
        List<String> met,
        Map<String, Long> sequences) {

    /** What there was before a database was created. */
    public static final Content NOTHING = new Content(0, 0, false, 0, List.of(), List.of(), List.of(), Map.of());

    // What an older version remembered has no sequences.
    @SuppressWarnings("ConstantValue")
    public Content {
        sequences = sequences == null ? Map.of() : Map.copyOf(sequences);
        tables = List.copyOf(tables);
        filled = List.copyOf(filled);
        met = List.copyOf(met);
    }

    /** Looks through a connection: one row of each table, and no more rows than a floor asks for. */
    static Content of(Connection connection, long inode, ContentRules rules) throws SQLException {
        List<String> tables = PageCheck.ordinaryTables(connection);
        List<String> filled = new ArrayList<>();
        for (String table : tables) {
            if (hasRow(connection, table)) {
                filled.add(table);
            }
        }
        return new Content(
                inode,
                HandleFacts.number(connection, HandleFacts.MAIN, "page_count"),
                HandleFacts.number(connection, HandleFacts.MAIN, "auto_vacuum") != 0,
                HandleFacts.number(connection, HandleFacts.MAIN, "schema_version"),
                tables,
                filled,
                met(connection, rules),
                sequences(connection));
    }

    private static Map<String, Long> sequences(Connection connection) throws SQLException {
        Map<String, Long> sequences = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            // There is such a table only where a table has been created with AUTOINCREMENT.
            try (ResultSet any = statement.executeQuery(
                    "SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence' AND type = 'table'")) {
                if (!any.next()) {
                    return sequences;
                }
            }
            try (ResultSet rows = statement.executeQuery(
                    "SELECT name, seq FROM main.sqlite_sequence WHERE name IS NOT NULL AND seq > 0")) {
                while (rows.next()) {
                    sequences.put(rows.getString(1), rows.getLong(2));
                }
            }
        }
        return sequences;
    }

    /** Whether every sequence that had begun is behind: in one and the same database they only grow. */
    boolean restarted(Content before) {
        return !before.sequences().isEmpty()
                && before.sequences().entrySet().stream()
                        .allMatch(old -> sequences.getOrDefault(old.getKey(), 0L) < old.getValue());
    }

    /** Whether what was missing is there again, though perhaps from an older backup; a few new rows are not it. */
    boolean isBack(Content before) {
        return pages * 2 >= before.pages()
                && filled.containsAll(before.filled())
                && before.sequences().entrySet().stream()
                        .allMatch(old -> sequences.getOrDefault(old.getKey(), 0L) * 2 >= old.getValue());
    }

    /** Rules that were kept once stay on record. */
    Content withMet(@Nullable Content before) {
        if (before == null || met.containsAll(before.met())) {
            return this;
        }
        List<String> all = new ArrayList<>(met);
        before.met().stream().filter(rule -> !met.contains(rule)).forEach(all::add);
        return new Content(inode, pages, autoVacuum, schemaVersion, tables, filled, all, sequences);
    }

    private static List<String> met(Connection connection, ContentRules rules) throws SQLException {
        List<String> all = PageCheck.tables(connection, HandleFacts.MAIN);
        List<String> met = new ArrayList<>();
        for (String table : rules.requiredTables()) {
            if (all.contains(table)) {
                met.add(required(table));
            }
        }
        for (Map.Entry<String, Long> floor : rules.rowFloors().entrySet()) {
            if (all.contains(floor.getKey()) && reaches(connection, floor.getKey(), floor.getValue())) {
                met.add(floor(floor.getKey(), floor.getValue()));
            }
        }
        return met;
    }

    static String required(String table) {
        return "table " + table;
    }

    static String floor(String table, long rows) {
        return rows + " rows in " + table;
    }

    /** Counts no further than the floor. */
    private static boolean reaches(Connection connection, String table, long rows) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM (SELECT 1 FROM main."
                        + PageCheck.quoted(table) + " LIMIT " + rows + ")")) {
            return count.next() && count.getLong(1) >= rows;
        }
    }

    private static boolean hasRow(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 1 FROM main." + PageCheck.quoted(table) + " LIMIT 1")) {
            return rows.next();
        }
    }
}
