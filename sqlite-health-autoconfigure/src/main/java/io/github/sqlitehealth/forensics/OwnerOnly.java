package io.github.sqlitehealth.forensics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files and directories that nobody but the user of this process can read, where the system knows such a thing. */
public final class OwnerOnly {

    private OwnerOnly() {}

    /** Creates an empty file. */
    public static void file(Path file) throws IOException {
        Files.createFile(file, permissions(file, "rw-------"));
    }

    /**
     * Creates a directory unless it is there.
     *
     * @param withParents whether the directories above it are created, too
     */
    public static void directory(Path directory, boolean withParents) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.getParent();
            if (parent != null && withParents) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(directory, permissions(directory, "rwx------"));
        }
    }

    /** What to create a file or directory with. */
    static FileAttribute<?>[] permissions(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
