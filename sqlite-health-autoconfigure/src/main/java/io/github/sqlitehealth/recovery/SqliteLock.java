package io.github.sqlitehealth.recovery;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * SQLite's own exclusive lock on a main file, taken without SQLite, since what is no database any more can be locked in no
 * other way. Whoever has a connection that reads in WAL mode, or is in a transaction, is in its way, and it is in the way
 * of everybody. See https://www.sqlite.org/lockingv3.html. Only for a file that no connection of this process has open:
 * giving the lock back would drop theirs.
 */
final class SqliteLock implements AutoCloseable {

    /** PENDING_BYTE, RESERVED_BYTE and the SHARED range follow each other. */
    private static final long FIRST = 0x40000000L;

    private static final long LENGTH = 2 + 510;

    private final FileChannel channel;

    private SqliteLock(FileChannel channel) {
        this.channel = channel;
    }

    static SqliteLock take(Path main) throws RestoreRefusedException {
        FileChannel channel = null;
        SqliteLock taken = null;
        try {
            channel = FileChannel.open(main, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock(FIRST, LENGTH, false);
            if (lock != null) {
                taken = new SqliteLock(channel);
                return taken;
            }
        } catch (OverlappingFileLockException ex) {
            throw new RestoreRefusedException(main + " is being restored by this very process");
        } catch (IOException ex) {
            throw new RestoreRefusedException(
                    main + " cannot be locked (" + ex + "): run as the user to whom the database belongs");
        } finally {
            if (taken == null && channel != null) {
                new SqliteLock(channel).close();
            }
        }
        throw new RestoreRefusedException(
                main + " is locked by a connection of another process: end it, then try again");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException ex) {
            // The system gives the lock back at the latest when this process ends.
            return;
        }
    }
}
