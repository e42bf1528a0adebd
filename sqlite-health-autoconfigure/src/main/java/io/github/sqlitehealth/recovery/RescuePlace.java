package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.Volumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where rescue copies go, and whether one fits.
 *
 * @param maxSize of a database that is copied, in bytes
 */
record RescuePlace(Path directory, Volumes volumes, long maxSize) {

    /** Whether the directory is there, or the one in which it would be. */
    boolean exists() {
        Path parent = directory.toAbsolutePath().getParent();
        return Files.isDirectory(directory) || parent == null || Files.isDirectory(parent);
    }

    /** What to say where it is not. */
    String missing() {
        return "no rescue copy: there is no directory " + directory.getParent()
                + " any more (renamed, or its volume is missing), and the library creates no other in its place. Put it"
                + " back, and it will be tried again at once; or copy the database out of this process before it ends"
                + " (command rescue --pid). Put it back before the application is started again, too: it would begin"
                + " with an empty database, and nobody would know. For another time, set"
                + " sqlite.health.snapshots.directory to another place";
    }

    /** @param size of the database in bytes */
    void refuseUnlessFit(long size) throws IOException, CopyRefusedException {
        if (size > maxSize) {
            throw new CopyRefusedException("no rescue copy: the database has " + text(size, maxSize)
                    + ", more than sqlite.health.stranded.rescue-max-size allows (" + text(maxSize, size)
                    + "); copy the files by hand before the process ends");
        }
        long needed = size + size / 10;
        long free = volumes.of(directory).freeBytes();
        if (free < needed) {
            throw new CopyRefusedException("no rescue copy: it needs " + text(needed, free) + " in " + directory
                    + ", where " + text(free, needed) + " are free; make room, it will be tried again");
        }
    }

    /** To the byte where two that differ would read the same. */
    private static String text(long bytes, long other) {
        String rounded = megabytes(bytes);
        return rounded.equals(megabytes(other)) ? bytes + " bytes" : rounded;
    }

    private static String megabytes(long bytes) {
        return (bytes + (1 << 20) - 1 >> 20) + " MB";
    }
}
