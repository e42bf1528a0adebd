package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out whether a file that nobody uses is a sound and whole database, and what is in it. Changes nothing. */
public final class CopyInspector {

    private static final Logger log = LoggerFactory.getLogger(CopyInspector.class);

    private static final String ORDINARY_TABLES = "SELECT name FROM pragma_table_list WHERE schema = 'main'"
            + " AND type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name";

    private final Timepiece time;

    public CopyInspector(Timepiece time) {
        this.time = time;
    }

    /**
     * Reads the whole file, several times, as fast as it can.
     *
     * @param limit how long the full check may take
     * @throws CopyRefusedException when it is not a database that can be relied on
     */
    public CopyFacts inspect(Path file, Duration limit) throws CopyRefusedException {
        return inspect(file, limit, Pace.hurried());
    }

    CopyFacts inspect(Path file, Duration limit, Pace pace) throws CopyRefusedException {
        refuseUnlessPlain(file);
        Testimony said = FreshWitness.ofUnused(file, time, pace::restAWhile)
                .ask(Check.FULL, limit, limit)
                .testimony();
        if (!said.ok() && !said.because(Reason.APPLICATION_ONLY)) {
            throw new CopyRefusedException(file + " " + complaint(said));
        }
        try (Connection connection = FreshConnections.openUnused(file)) {
            return new CopyFacts(
                    Files.size(file),
                    number(connection, "PRAGMA page_count"),
                    number(connection, "PRAGMA application_id"),
                    number(connection, "PRAGMA user_version"),
                    number(connection, "PRAGMA schema_version"),
                    rows(connection),
                    said.ok() ? "ok" : said.text(),
                    DurableFiles.sha256(file, pace));
        } catch (SQLException | IOException ex) {
            throw new CopyRefusedException(file + " cannot be read: " + ex.getMessage());
        }
    }

    private static String complaint(Testimony said) {
        if (said.because(Reason.EMPTY)) {
            return "is empty";
        }
        return said.bad()
                ? "is damaged or no database: " + said.text()
                : "could not be checked (" + said.reason() + "): " + said.text();
    }

    private static void refuseUnlessPlain(Path file) throws CopyRefusedException {
        if (Files.isDirectory(file)) {
            throw new CopyRefusedException(file + " is a directory");
        }
        if (!Files.exists(file)) {
            throw new CopyRefusedException(file + " does not exist");
        }
        if (!Files.isRegularFile(file)) {
            throw new CopyRefusedException(file + " is no ordinary file");
        }
        if (!Files.isReadable(file)) {
            throw new CopyRefusedException(file + " cannot be read by this user");
        }
        for (Path beside :
                List.of(DatabaseFile.WAL.beside(file), file.resolveSibling(file.getFileName() + "-journal"))) {
            if (beside.toFile().length() > 0) {
                throw new CopyRefusedException(file + " is not whole by itself: " + beside
                        + " belongs to it; let sqlite3 open and close it, then try again");
            }
        }
    }

    private static Map<String, Long> rows(Connection connection) throws SQLException {
        Map<String, Long> rows = new LinkedHashMap<>();
        for (String table : tables(connection)) {
            try {
                rows.put(table, number(connection, "SELECT count(*) FROM \"" + table.replace("\"", "\"\"") + '"'));
            } catch (SQLException ex) {
                log.debug("The rows of {} cannot be counted without the application", table, ex);
            }
        }
        return rows;
    }

    private static List<String> tables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(ORDINARY_TABLES)) {
            while (found.next()) {
                tables.add(found.getString(1));
            }
        }
        return tables;
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getLong(1);
        }
    }
}
