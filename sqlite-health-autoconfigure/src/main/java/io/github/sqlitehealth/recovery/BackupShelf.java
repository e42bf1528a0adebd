package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Json;
import io.github.sqlitehealth.forensics.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts backups into their directory and removes the old ones. Only one process at a time may, for each database: what is
 * half written when it begins was left by one that has died.
 */
final class BackupShelf implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BackupShelf.class);

    private final BackupDirectory directory;
    private final FileChannel lock;

    private BackupShelf(BackupDirectory directory, FileChannel lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** @param withParents whether the directories above it may be created */
    static BackupShelf open(BackupDirectory directory, boolean withParents) throws BackupFailedException, IOException {
        OwnerOnly.directory(directory.path(), withParents);
        Path file = directory.file(".lock");
        if (!Files.exists(file)) {
            createUnlessThere(file);
        }
        FileChannel lock = FileChannel.open(file, StandardOpenOption.WRITE);
        try {
            if (lock.tryLock() != null) {
                return new BackupShelf(directory, lock);
            }
        } catch (OverlappingFileLockException ex) {
            log.debug("Another part of this process backs up to {}", directory.path(), ex);
        } catch (IOException ex) {
            lock.close();
            throw ex;
        }
        lock.close();
        throw new BackupFailedException("Somebody else is taking a backup to " + directory.path() + " right now", true);
    }

    private static void createUnlessThere(Path file) throws IOException {
        try {
            OwnerOnly.file(file);
        } catch (FileAlreadyExistsException ex) {
            log.debug("Another process was faster to create {}", file, ex);
        }
    }

    /** Removes what a process left behind that was killed. */
    void sweep() throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory.path())) {
            for (Path file : found) {
                if (directory.isUnfinished(file)) {
                    log.info("Removing {}, which belongs to no finished backup", file);
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** An empty file for a copy. */
    Path temporary(Instant at) throws IOException {
        Path file = directory.file("-" + ForensicsDirectory.stamp(at) + BackupDirectory.TEMPORARY);
        OwnerOnly.file(file);
        return file;
    }

    /** Gives a copy that has passed its check its place. Its note is there before it has its name. */
    Backup install(Path temporary, BackupNote note) throws IOException {
        Instant at = note.at();
        while (Files.exists(directory.copy(at))) {
            at = at.plusMillis(1);
        }
        Path copy = directory.copy(at);
        Path beside = BackupDirectory.note(copy);
        Path unfinished = beside.resolveSibling(beside.getFileName() + ".tmp");
        Files.deleteIfExists(unfinished);
        OwnerOnly.file(unfinished);
        DurableFiles.write(beside, Json.write(note));
        DurableFiles.rename(temporary, copy);
        return new Backup(copy, at, true, null, note);
    }

    /** Removes the oldest verified backups. One that is not verified counts for nothing and stays. */
    void prune(int keep) throws IOException {
        List<Backup> old =
                directory.list().stream().filter(Backup::verified).skip(keep).toList();
        for (Backup backup : old) {
            Files.deleteIfExists(backup.file());
            Files.deleteIfExists(BackupDirectory.note(backup.file()));
        }
    }

    static void discard(@Nullable Path temporary) {
        if (temporary != null) {
            try {
                Files.deleteIfExists(temporary);
                for (String end : List.of("-journal", "-wal", "-shm")) {
                    Files.deleteIfExists(temporary.resolveSibling(temporary.getFileName() + end));
                }
            } catch (IOException ex) {
                log.debug("{} cannot be removed; the next backup will try", temporary, ex);
            }
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
