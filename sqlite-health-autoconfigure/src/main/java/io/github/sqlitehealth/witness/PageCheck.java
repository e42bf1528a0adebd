package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SQLite's own checks of its pages, bounded in time. */
enum PageCheck {
    /** Everything but the values of indexes. */
    QUICK("quick_check"),
    /** Everything that SQLite can check. */
    FULL("integrity_check");

    /** Enough to see what is wrong, while a heap of ruins does not become a heap of text. */
    private static final int MOST_PROBLEMS = 10;

    private static final Logger log = LoggerFactory.getLogger(PageCheck.class);

    private final String pragma;

    PageCheck(String pragma) {
        this.pragma = pragma;
    }

    /** Checks the whole of one database; the schema prefix keeps the others of the connection out. */
    Reading whole(Connection connection, String schema, Duration limit) {
        return run(connection, schema, "PRAGMA " + quoted(schema) + "." + pragma + "(" + MOST_PROBLEMS + ")", limit);
    }

    /** Checks one table and its indexes. */
    Reading table(Connection connection, String schema, String table, Duration limit) {
        return run(connection, schema, "PRAGMA " + quoted(schema) + "." + pragma + "(" + quoted(table) + ")", limit);
    }

    @SuppressWarnings("try") // the deadline is there to be closed
    private static Reading run(Connection connection, String schema, String sql, Duration limit) {
        boolean begun = false;
        try (Statement statement = connection.createStatement();
                Deadline deadline = new Deadline(statement, limit)) {
            List<String> indexes = fullTextIndexes(connection, schema);
            if (!indexes.isEmpty() && connection.getAutoCommit()) {
                statement.execute("BEGIN");
                begun = true;
            }
            for (String index : indexes) {
                refresh(connection, schema, index);
            }
            try (ResultSet rows = statement.executeQuery(sql)) {
                String first = rows.next() ? rows.getString(1) : "the check returned nothing";
                // A check that runs into trouble half way says so in a later row.
                return "ok".equals(first) && !rows.next() ? Reading.OK : Reading.problem(first);
            }
        } catch (SQLException ex) {
            return Reading.of(ex);
        } finally {
            release(connection, begun);
        }
    }

    private static List<String> fullTextIndexes(Connection connection, String schema) {
        try {
            return names(
                    connection,
                    "SELECT name FROM " + quoted(schema) + ".sqlite_schema WHERE type = 'table' AND rootpage = 0"
                            + " AND sql LIKE '%fts5%'");
        } catch (SQLException ex) {
            // What is too damaged to be listed is for the check to say.
            return List.of();
        }
    }

    /**
     * FTS5 keeps the list of its segments in memory and forgets it when a query finds that somebody else has written; a
     * check does not ask, and takes segments that have been merged away for damage. So there is a query before it, in the
     * same transaction.
     */
    private static void refresh(Connection connection, String schema, String index) {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery("SELECT rowid FROM " + quoted(schema) + "." + quoted(index) + " LIMIT 1")
                    .close();
        } catch (SQLException ex) {
            log.debug("{} cannot be asked before the check, which will say why", index, ex);
        }
    }

    /** With autocommit off a read has begun a transaction, which would hold its lock until somebody ends it. */
    private static void release(Connection connection, boolean begun) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            } else if (begun) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("ROLLBACK");
                }
            }
        } catch (SQLException ex) {
            log.debug("The read of a check could not be ended", ex);
        }
    }

    /**
     * The tables of a database, virtual ones included, in the order of their creation. The first is that of the schema,
     * whose check includes the list of free pages.
     */
    static List<String> tables(Connection connection, String schema) throws SQLException {
        List<String> tables = names(
                connection,
                "SELECT name FROM " + quoted(schema) + ".sqlite_schema WHERE type = 'table' ORDER BY rowid");
        tables.add(0, "sqlite_schema");
        return tables;
    }

    /** Tables that hold rows of their own; the shadow tables of virtual ones are never empty and tell nothing. */
    static List<String> ordinaryTables(Connection connection) throws SQLException {
        return names(
                connection,
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                        + " AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name");
    }

    /**
     * Virtual tables that this connection cannot open, because their module or tokenizer is registered only on the
     * application's connections. A check reports them as a problem, in the same row format as damage.
     */
    static List<String> foreign(Connection connection) throws SQLException {
        List<String> foreign = new ArrayList<>();
        for (String table : names(
                connection,
                "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 ORDER BY rowid")) {
            try (Statement statement = connection.createStatement()) {
                statement
                        .executeQuery("SELECT 1 FROM main." + quoted(table) + " LIMIT 0")
                        .close();
            } catch (SQLException ex) {
                if (Reading.of(ex).bad()) {
                    throw ex;
                }
                foreign.add(table);
            }
        }
        return foreign;
    }

    private static List<String> names(Connection connection, String sql) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                // Tenants have a database each, and all of them the same tables.
                names.add(rows.getString(1).intern());
            }
        }
        return names;
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
