package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.Volume;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.FreshConnections;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * Copies a database while others write to it, page by page: {@code VACUUM INTO} would need the collations of the
 * application. It reads through a connection of its own.
 */
final class OnlineCopy {

    private static final Logger log = LoggerFactory.getLogger(OnlineCopy.class);

    /** Of a WAL database, between two rests; about 4 MB. */
    private static final int PAGES_PER_STEP = 1024;

    private final Clock clock;

    OnlineCopy(Clock clock) {
        this.clock = clock;
    }

    /** @param at the moment that the copy shows */
    record Copied(Instant at, String sqliteVersion) {}

    Copied copy(BackupRequest request, Path to) throws BackupFailedException, SQLException, IOException {
        try (Connection connection = FreshConnections.open(request.source());
                Statement statement = connection.createStatement()) {
            String sqliteVersion = text(statement, "SELECT sqlite_version()");
            boolean wal = "wal".equalsIgnoreCase(text(statement, "PRAGMA journal_mode"));
            refuseUnlessRoom(request, to, size(statement));
            Instant at = wal ? snapshot(connection, statement, request, to) : new GuardedCopy(clock).copy(request, to);
            return new Copied(at, sqliteVersion);
        }
    }

    /**
     * In one read transaction, which keeps nobody from writing and has the copying never begin anew. It rests only
     * little: for as long as it lasts the WAL cannot begin again, and grows. The driver gives no
     * means to end it half way; when it is to be given up, at least the WAL is not pinned any longer.
     */
    private Instant snapshot(Connection connection, Statement statement, BackupRequest request, Path to)
            throws BackupFailedException, SQLException {
        statement.execute("BEGIN");
        text(statement, "SELECT count(*) FROM sqlite_schema");
        String schemaVersion = text(statement, "PRAGMA schema_version");
        Instant at = clock.instant();
        boolean[] open = {true};
        Pace pace = Pace.brisk();
        int code = connection
                .unwrap(SQLiteConnection.class)
                .getDatabase()
                .backup(
                        "main",
                        to.toString(),
                        (left, all) -> {
                            if (open[0] && request.cancelled().getAsBoolean()) {
                                open[0] = false;
                                release(statement);
                            }
                            if (open[0]) {
                                pace.restAWhile();
                            }
                        },
                        0,
                        0,
                        PAGES_PER_STEP);
        if (!open[0]) {
            throw new BackupFailedException("The backup of " + request.source() + " was given up half way");
        }
        release(statement);
        if (code != SQLiteErrorCode.SQLITE_OK.code) {
            throw BackupFailedException.of(
                    "The copying of " + request.source() + " to " + to + " failed: "
                            + SQLiteErrorCode.getErrorCode(code),
                    code);
        }
        giveSchemaVersion(to, schemaVersion);
        return at;
    }

    /**
     * SQLite begins to count anew in what it copies. After a restore the count is what tells this database from one that
     * was emptied and got its tables anew.
     */
    private static void giveSchemaVersion(Path copy, String schemaVersion) throws SQLException {
        try (Connection connection = FreshConnections.openCopy(copy);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA schema_version = " + schemaVersion);
        }
    }

    /** Throws nothing: the driver would be in the midst of its own code. */
    private static void release(Statement statement) {
        try {
            statement.execute("ROLLBACK");
        } catch (SQLException ex) {
            log.debug("A read transaction ends with its connection", ex);
        }
    }

    private static void refuseUnlessRoom(BackupRequest request, Path to, long needed)
            throws BackupFailedException, IOException {
        Path directory = request.directory().path();
        Volume volume = new Volumes().of(to);
        if (volume.totalBytes() > 0 && volume.freeBytes() < needed) {
            throw new BackupFailedException("There is no room for a backup of " + request.source() + " in " + directory
                    + ": " + volume.freeBytes() + " bytes are free and " + needed
                    + " are needed; make room or name another sqlite.health.backup.directory");
        }
    }

    private static long size(Statement statement) throws SQLException {
        return Long.parseLong(text(statement, "PRAGMA page_count"))
                * Long.parseLong(text(statement, "PRAGMA page_size"));
    }

    static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet found = statement.executeQuery(sql)) {
            return found.next() ? String.valueOf(found.getString(1)) : "";
        }
    }
}
