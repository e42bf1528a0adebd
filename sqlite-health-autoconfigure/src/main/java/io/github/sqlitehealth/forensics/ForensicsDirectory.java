package io.github.sqlitehealth.forensics;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one database's evidence. It is created when there is something to write. A file in it is either whole
 * or not there: it is written to a temporary name, forced to the disk and renamed.
 */
public final class ForensicsDirectory {

    private static final Logger log = LoggerFactory.getLogger(ForensicsDirectory.class);

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** How the names of files end that are not whole yet. */
    public static final String TEMPORARY = ".tmp";

    private static final Duration ABANDONED = Duration.ofHours(1);

    private final Path path;
    private final boolean withParents;

    public ForensicsDirectory(Path path) {
        this(path, true);
    }

    /**
     * @param withParents whether the directories above it are created, too. Those of a database are not: where they are
     *     gone, somebody has moved them or a mount is missing, and a new one in their place would be in the way.
     */
    public ForensicsDirectory(Path path, boolean withParents) {
        this.path = path;
        this.withParents = withParents;
    }

    /** Where the evidence of a database is when nothing else is configured. */
    public static Path beside(Path databaseFile) {
        return databaseFile.resolveSibling(databaseFile.getFileName() + "-forensics");
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** Writes a file, whole or not at all; only its owner can read it. */
    public void write(String name, byte[] content) throws IOException {
        create();
        Path temporary = Files.createTempFile(path, name + "-", TEMPORARY, ownerOnlyFile());
        try {
            // No channel: an interrupt, which is how the monitor is stopped, would close it and lose the evidence.
            try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
                out.write(content);
                out.getFD().sync();
            }
            Files.move(temporary, file(name), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        forceDirectory();
    }

    /** Creates an empty file that only its owner can read, for somebody else to fill. */
    public Path createEmpty(String name) throws IOException {
        create();
        return Files.createFile(file(name), ownerOnlyFile());
    }

    /** Opens a file that stays as it is, for the sake of its lock. */
    FileChannel open(String name) throws IOException {
        create();
        return FileChannel.open(
                file(name), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownerOnlyFile());
    }

    /** Removes what a process left behind that was killed while it wrote. */
    void sweep(Instant now) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path, "*" + TEMPORARY)) {
            for (Path file : found) {
                // Another process may be writing at this moment.
                if (Files.getLastModifiedTime(file).toInstant().isBefore(now.minus(ABANDONED))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException ex) {
            log.debug("What was left half written in {} cannot be removed", path, ex);
        }
    }

    private void create() throws IOException {
        OwnerOnly.directory(path, withParents);
    }

    private FileAttribute<?>[] ownerOnlyFile() {
        return OwnerOnly.permissions(path, "rw-------");
    }

    /** A rename survives a power failure only when the directory has reached the disk, too. */
    private void forceDirectory() {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException ex) {
            log.debug("This system does not let a directory be forced to the disk: {}", path, ex);
        }
    }

    /** Keeps a file that cannot be understood under another name, and says so. */
    void setAside(String name, Instant now, Throwable why) {
        String aside = name + ".corrupt-" + STAMP.format(now);
        try {
            Files.move(file(name), file(aside));
            log.warn(
                    "{} cannot be understood ({}); it is kept as {} and the monitor goes on without it",
                    file(name),
                    why.getMessage(),
                    aside);
        } catch (IOException ex) {
            log.warn("{} cannot be understood ({}) and cannot be set aside", file(name), why.getMessage(), ex);
        }
    }

    /** A time as it stands in the names of files: sortable, in UTC, with milliseconds. */
    public static String stamp(Instant now) {
        return STAMP.format(now);
    }

    /** The time that {@link #stamp} has written. */
    public static Instant time(String stamp) {
        return STAMP.parse(stamp, Instant::from);
    }
}
