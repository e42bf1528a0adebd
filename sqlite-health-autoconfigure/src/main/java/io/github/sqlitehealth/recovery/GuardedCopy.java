package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.FilePart;
import io.github.sqlitehealth.witness.FreshConnections;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Copies a database that has no WAL. While somebody reads nobody can commit, so it reads in parts that are much shorter
 * than a writer waits, and rests between them; when somebody has written meanwhile it begins anew, a few times. Each part
 * is copied by a child process under the lock of a read transaction: SQLite's own backup cannot be told to give up, and a
 * database that is written to all the time would keep it busy for ever.
 */
final class GuardedCopy {

    private static final int MOST_BEGINNINGS = 10;

    /** A part must take no more than this part of what a writer can bear. */
    private static final int SAFETY = 8;

    private static final long FEWEST_BLOCKS = 16;
    private static final long MOST_BLOCKS = 1024;

    private final Clock clock;
    private long blocks = FEWEST_BLOCKS;

    GuardedCopy(Clock clock) {
        this.clock = clock;
    }

    Instant copy(BackupRequest request, Path to) throws BackupFailedException, SQLException, IOException {
        if (request.bearable().isZero()) {
            throw new BackupFailedException(request.source() + " has no WAL and the application's connections no"
                    + " busy time-out: any copying could make a writer fail; set journal_mode=WAL or a busy_timeout");
        }
        long end = System.nanoTime() + request.timeout().toNanos();
        try (Connection connection = FreshConnections.open(request.source());
                Statement statement = connection.createStatement()) {
            for (int beginning = 0; beginning < MOST_BEGINNINGS; beginning++) {
                Instant at = once(request, to, statement, end);
                if (at != null) {
                    return at;
                }
            }
        }
        throw new BackupFailedException("The copying of " + request.source() + " began anew " + MOST_BEGINNINGS
                + " times, since it has no WAL and was written to each time; set journal_mode=WAL, or ask for a backup"
                + " when nobody writes");
    }

    /** The moment that the copy shows; nothing when somebody has written before its end. */
    private @Nullable Instant once(BackupRequest request, Path to, Statement statement, long end)
            throws BackupFailedException, SQLException, IOException {
        String version = null;
        Instant at = clock.instant();
        long next = 0;
        long all = 1;
        while (next < all) {
            if (request.cancelled().getAsBoolean() || System.nanoTime() - end > 0) {
                throw new BackupFailedException(
                        "The backup of " + request.source() + " was given up after " + next + " of " + all + " parts");
            }
            long start = System.nanoTime();
            statement.execute("BEGIN");
            try {
                // The read takes the lock, without which the pragma would tell of another moment.
                OnlineCopy.text(statement, "SELECT count(*) FROM sqlite_schema");
                String now = OnlineCopy.text(statement, "PRAGMA data_version");
                if (version != null && !now.equals(version)) {
                    return null;
                }
                if (version == null) {
                    version = now;
                    at = clock.instant();
                    all = (Files.size(request.source()) + FilePart.BLOCK - 1) / FilePart.BLOCK;
                }
                FilePart.copy(request.source(), to, next, blocks, request.bearable());
            } catch (SQLException ex) {
                if (ex.getErrorCode() != SQLiteErrorCode.SQLITE_BUSY.code) {
                    throw ex;
                }
                return null;
            } finally {
                statement.execute("ROLLBACK");
            }
            next += blocks;
            long took = System.nanoTime() - start;
            rest(took, request.bearable());
        }
        return at;
    }

    /** As long as it has read, so that those who wait get their turn; and the next part fits the speed of the disk. */
    private void rest(long took, Duration bearable) {
        LockSupport.parkNanos(took);
        long fair = bearable.toNanos() / SAFETY;
        if (took > fair) {
            blocks = Math.max(FEWEST_BLOCKS, blocks / 2);
        } else if (took < fair / 2) {
            blocks = Math.min(MOST_BLOCKS, blocks * 2);
        }
    }
}
