package io.github.sqlitehealth.os;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file that another process holds open.
 *
 * @param fd the number of one of its descriptors
 * @param id of the open file
 * @param size of it when it was looked at, in bytes
 * @param name by which that process knows it, without the system's remark that it is deleted
 * @param deleted whether the system says that it has lost its name
 * @param stale whether the file that has its name now, as that process sees it, is another one or none
 * @param through the way to the open file, whatever has become of its name
 * @param place where its name leads to now
 */
public record ProcessFile(
        int fd, FileId id, long size, String name, boolean deleted, boolean stale, Path through, Path place) {

    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    /** Whether it begins as the main file of a database does. Opens it: only where this process does not hold it. */
    public boolean isDatabase() {
        try (InputStream in = new FileInputStream(through.toFile())) {
            return Arrays.equals(in.readNBytes(MAGIC.length), MAGIC);
        } catch (IOException e) {
            return false;
        }
    }

    /** The file for people: its name, its number and whether it can be found at the name. */
    public String described() {
        return name + " (inode " + Long.toUnsignedString(id.inode())
                + (deleted ? ", deleted)" : stale ? ", no longer at its name)" : ")");
    }
}
