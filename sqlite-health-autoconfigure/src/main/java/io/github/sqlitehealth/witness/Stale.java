package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileId;
import org.jspecify.annotations.Nullable;

/**
 * A file of the database that this process holds open and that is not the one at its path.
 *
 * @param file which of the three
 * @param held what is held
 * @param atPath what is at the path, absent when nothing is
 * @param shrunk set when it is the same file, cut short in place under a connection that was open all the while
 * @param sharesWal set for a main file that was replaced while -wal was not: those who open the new one use our -wal
 */
public record Stale(
        DatabaseFile file, FileId held, @Nullable FileId atPath, boolean shrunk, boolean sharesWal) {

    /** One that shares no -wal with what is at its path. */
    public Stale(DatabaseFile file, FileId held, @Nullable FileId atPath, boolean shrunk) {
        this(file, held, atPath, shrunk, false);
    }

    Stale sharingWal() {
        return new Stale(file, held, atPath, shrunk, true);
    }

    /** What will be lost unless somebody sees to it; null when nothing is known to be. */
    public @Nullable String danger() {
        return sharesWal
                ? "-wal at the path is still the one of this process, so whoever uses the new main file writes into the"
                        + " same -wal: rows of either can be lost and the new main file ruined. Stop all others, and move"
                        + " -wal and -shm at the path aside before anybody opens it, this application after a restart"
                        + " included"
                : null;
    }

    boolean sameFile(Stale other) {
        return file == other.file && held.equals(other.held);
    }

    String describe() {
        if (shrunk) {
            return file.key() + ": inode " + held.inode() + " was cut short in place while it was held";
        }
        String there = atPath == null ? "nothing is at the path" : "the path has inode " + atPath.inode();
        return file.key() + ": inode " + held.inode() + " is held, " + there + (sharesWal ? "; " + danger() : "");
    }
}
