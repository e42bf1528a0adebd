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
 */
public record Stale(
        DatabaseFile file, FileId held, @Nullable FileId atPath, boolean shrunk) {

    boolean sameFile(Stale other) {
        return file == other.file && held.equals(other.held);
    }

    String describe() {
        if (shrunk) {
            return file.key() + ": inode " + held.inode() + " was cut short in place while it was held";
        }
        String there = atPath == null ? "nothing is at the path" : "the path has inode " + atPath.inode();
        return file.key() + ": inode " + held.inode() + " is held, " + there;
    }
}
