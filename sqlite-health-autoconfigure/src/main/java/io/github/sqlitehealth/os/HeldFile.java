package io.github.sqlitehealth.os;

import java.util.List;

/**
 * A file of a database that a process holds open.
 *
 * @param fd the number of the descriptor
 * @param file which of the files: {@link DatabaseFile#key()}
 * @param inode of the open file, unsigned
 * @param deleted whether the system says that the file has lost its name
 * @param stale whether the open file is not the file that is at the path now
 * @param locks the locks of the process on it
 */
public record HeldFile(int fd, String file, long inode, boolean deleted, boolean stale, List<PosixLock> locks) {

    /** Whether it is the same file behind the same descriptor; locks come and go. */
    public boolean same(HeldFile other) {
        return fd == other.fd
                && file.equals(other.file)
                && inode == other.inode
                && deleted == other.deleted
                && stale == other.stale;
    }
}
