package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads the {@code fd} and {@code fdinfo} directories of one process in {@code /proc}. */
final class ProcDescriptors {

    private ProcDescriptors() {}

    /**
     * Shows every regular file that the process holds to the visitor, until that says {@code false}. What vanishes
     * meanwhile is left out.
     *
     * @throws java.nio.file.AccessDeniedException when this process may not look: one may be allowed to list the
     *     numbers (root in a container) and yet not to read what they stand for
     * @throws IOException when the descriptors cannot be listed
     */
    static void visit(Path process, Predicate<Descriptor> visitor) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path entry : entries) {
                Descriptor descriptor = read(entry);
                if (descriptor != null && !visitor.test(descriptor)) {
                    return;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    static @Nullable Descriptor at(Path process, int fd) {
        try {
            return read(process.resolve("fd").resolve(Integer.toString(fd)));
        } catch (AccessDeniedException e) {
            return null;
        }
    }

    private static @Nullable Descriptor read(Path entry) throws AccessDeniedException {
        try {
            String link = Files.readSymbolicLink(entry).toString();
            if (!maybeDatabase(link)) {
                return null;
            }
            // This stat goes through the descriptor, so it is about the open file and opens nothing.
            Map<String, Object> said = Files.readAttributes(entry, "unix:dev,ino,size,isRegularFile");
            if (!Boolean.TRUE.equals(said.get("isRegularFile"))) {
                return null;
            }
            FileId id = new FileId(FileFacts.number(said, "dev"), FileFacts.number(said, "ino"));
            int fd = Integer.parseInt(String.valueOf(entry.getFileName()));
            return new Descriptor(fd, id, FileFacts.number(said, "size"), link);
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null; // closed between the listing and the look, or not a descriptor
        }
    }

    /** Sockets, pipes, devices and code are many and never a database; memory file systems are under /dev/shm. */
    private static boolean maybeDatabase(String link) {
        if (!link.startsWith("/") || link.endsWith(".jar") || link.endsWith(".so")) {
            return false;
        }
        return !link.startsWith("/proc/")
                && !link.startsWith("/sys/")
                && (!link.startsWith("/dev/") || link.startsWith("/dev/shm/"));
    }

    /**
     * The locks of the process on the file behind a descriptor.
     *
     * @throws IOException when it is closed, or its locks are not shown
     */
    static List<PosixLock> locks(Path process, int fd) throws IOException {
        Path fdinfo = process.resolve("fdinfo").resolve(Integer.toString(fd));
        return PosixLock.parse(Files.readAllLines(fdinfo, ISO_8859_1));
    }
}
