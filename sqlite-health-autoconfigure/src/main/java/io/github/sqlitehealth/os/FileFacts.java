package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one {@code stat} says of the file at a path.
 *
 * @param path as it was asked for; links are followed
 * @param id absent where the system has no inodes (Windows)
 * @param size in bytes
 * @param links the number of names of the file; 1 where the system does not tell
 * @param modified the time of the last change of its content
 */
public record FileFacts(Path path, @Nullable FileId id, long size, long links, Instant modified) {

    /**
     * Asks the system, without opening the file.
     *
     * @return {@code null} when there is no file at the path
     * @throws IOException when the system cannot tell, such as for lack of permission
     */
    public static @Nullable FileFacts of(Path path) throws IOException {
        try {
            return unix(path, Files.readAttributes(path, "unix:dev,ino,size,nlink,lastModifiedTime"));
        } catch (NoSuchFileException e) {
            return null;
        } catch (UnsupportedOperationException | IllegalArgumentException e) {
            return basic(path);
        }
    }

    private static FileFacts unix(Path path, Map<String, Object> said) {
        FileId id = new FileId(number(said, "dev"), number(said, "ino"));
        Instant modified = said.get("lastModifiedTime") instanceof FileTime time ? time.toInstant() : Instant.EPOCH;
        return new FileFacts(path, id, number(said, "size"), number(said, "nlink"), modified);
    }

    static @Nullable FileFacts basic(Path path) throws IOException {
        try {
            BasicFileAttributes said = Files.readAttributes(path, BasicFileAttributes.class);
            return new FileFacts(
                    path, null, said.size(), 1, said.lastModifiedTime().toInstant());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    static long number(Map<String, Object> said, String attribute) {
        if (said.get(attribute) instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("the system does not tell " + attribute);
    }
}
