package io.github.sqlitehealth.recovery;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a power failure must not undo. Only for files that no connection of this process has open: opening and closing
 * such a file here would drop the locks of the application on it.
 */
final class DurableFiles {

    private static final Logger log = LoggerFactory.getLogger(DurableFiles.class);

    private static final int CHUNK = 1 << 16;

    private DurableFiles() {}

    /** Waits until the content of a file is on the disk. */
    static void force(Path file) throws IOException {
        // No channel: an interrupt, which is how the monitor is stopped, would close it.
        try (FileOutputStream out = new FileOutputStream(file.toFile(), true)) {
            out.getFD().sync();
        }
    }

    /** Makes the content of one file that of another, which exists, and waits until it is on the disk. */
    static void copy(Path from, Path to) throws IOException {
        try (InputStream in = new FileInputStream(from.toFile());
                FileOutputStream out = new FileOutputStream(to.toFile())) {
            in.transferTo(out);
            out.getFD().sync();
        }
    }

    /** Gives a file its name, whole or not at all, and waits until that is on the disk. */
    static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        forceDirectoryOf(to);
    }

    /** Writes a file whole or not at all, and waits until it is on the disk. */
    static void write(Path file, byte[] content) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (FileOutputStream out = new FileOutputStream(temporary.toFile())) {
            out.write(content);
            out.getFD().sync();
        }
        rename(temporary, file);
    }

    /** A rename or a removal survives a power failure only when the directory has reached the disk, too. */
    static void forceDirectoryOf(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException ex) {
            log.debug("This system does not let a directory be forced to the disk: {}", directory, ex);
        }
    }

    /** The SHA-256 of a file, in hexadecimal digits. */
    static String sha256(Path file) throws IOException {
        return sha256(file, Pace.hurried());
    }

    static String sha256(Path file, Pace pace) throws IOException {
        try (InputStream in = new FileInputStream(file.toFile());
                DigestInputStream digested = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            byte[] chunk = new byte[CHUNK];
            while (digested.read(chunk) >= 0) {
                pace.restAWhile();
            }
            return HexFormat.of().formatHex(digested.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException("Every Java platform has SHA-256", ex);
        }
    }
}
