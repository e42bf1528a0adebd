package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code <database>.restoring}, which is there while a restore is going on or has been interrupted: one line of
 * JSON for each stage, on the disk before the stage begins. Only the last whole line counts. Whoever is at it holds a
 * lock on it.
 */
final class RestoreJournal implements AutoCloseable {

    private final Path file;
    private final RandomAccessFile open;

    private RestoreJournal(Path file, RandomAccessFile open) {
        this.file = file;
        this.open = open;
    }

    static Path beside(Path main) {
        return DatabaseFiles.beside(main, ".restoring");
    }

    /**
     * A new one.
     *
     * @throws java.nio.file.FileAlreadyExistsException when there is one
     */
    static RestoreJournal begin(Path main, Acts acts) throws IOException, RestoreRefusedException {
        Path file = beside(main);
        acts.create(file);
        RestoreJournal journal = lock(file);
        if (journal == null) {
            throw new RestoreRefusedException(main + " is being restored by another process, too");
        }
        return journal;
    }

    /** One that another process has left behind; {@code null} when there is none. */
    static @Nullable RestoreJournal resume(Path main) throws IOException, RestoreRefusedException {
        Path file = beside(main);
        return Files.exists(file) ? lock(file) : null;
    }

    /** {@code null} when whoever held the lock has come to its end meanwhile. */
    private static @Nullable RestoreJournal lock(Path file) throws IOException, RestoreRefusedException {
        RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
        boolean locked = false;
        try {
            locked = open.getChannel().tryLock() != null;
        } catch (OverlappingFileLockException ex) {
            locked = false;
        } finally {
            if (!locked) {
                open.close();
            }
        }
        if (!locked) {
            throw new RestoreRefusedException(
                    file + " is in use: another process is restoring this database; wait for it to end");
        }
        RestoreJournal journal = new RestoreJournal(file, open);
        if (!Files.exists(file)) {
            journal.close();
            return null;
        }
        return journal;
    }

    /**
     * The last whole line; empty when nothing has begun.
     *
     * @throws RestoreRefusedException when it is not what a restore has written
     */
    Optional<RestoreProgress> last() throws IOException, RestoreRefusedException {
        byte[] content = new byte[Math.toIntExact(open.length())];
        open.seek(0);
        open.readFully(content);
        String whole = new String(content, StandardCharsets.UTF_8);
        whole = whole.substring(0, whole.lastIndexOf('\n') + 1);
        int end = whole.getBytes(StandardCharsets.UTF_8).length;
        if (end < content.length) {
            // What comes next must not go on with half a line.
            open.setLength(end);
        }
        String[] lines = whole.strip().split("\n");
        String last = lines[lines.length - 1];
        if (last.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Json.read(last.getBytes(StandardCharsets.UTF_8), RestoreProgress.class));
        } catch (RuntimeException ex) {
            throw new RestoreRefusedException(file + " of an interrupted restore cannot be understood; put the files"
                    + " beside it in order by hand, then remove it");
        }
    }

    /** Writes the next line and waits until it is on the disk; a line that does not fit leaves nothing. */
    void write(RestoreProgress progress) throws IOException {
        long end = open.length();
        try {
            open.seek(end);
            open.write((Json.line(progress) + "\n").getBytes(StandardCharsets.UTF_8));
            open.getFD().sync();
        } catch (IOException ex) {
            open.setLength(end);
            throw ex;
        }
    }

    Path file() {
        return file;
    }

    @Override
    public void close() {
        try {
            open.close();
        } catch (IOException ex) {
            // The system closes it at the latest when this process ends; every line has been forced.
            return;
        }
    }
}
