package io.github.sqlitehealth.recovery;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;

/**
 * All that a restore changes on disk. Each act is told before it is done, which is where a test lets the process end.
 * Nothing is ever overwritten.
 */
final class Acts {

    private final Consumer<String> told;

    Acts(Consumer<String> told) {
        this.told = told;
    }

    void create(Path file) throws IOException {
        told.accept("create " + file.getFileName());
        Files.createFile(file, ownerOnly(file));
        DurableFiles.forceDirectoryOf(file);
    }

    void record(RestoreJournal journal, RestoreProgress progress) throws IOException {
        told.accept("record " + progress.stage());
        journal.write(progress);
    }

    void copy(Path from, Path to) throws IOException {
        told.accept("create " + to.getFileName());
        Files.deleteIfExists(to);
        Files.createFile(to, ownerOnly(to));
        told.accept("fill " + to.getFileName());
        DurableFiles.copy(from, to);
    }

    /** Once more, if need be: what has been moved is where it should be. */
    void move(Path from, Path to) throws IOException, OccupiedException {
        if (Files.exists(from) && Files.exists(to)) {
            throw new OccupiedException("somebody has put another " + from + " in its place meanwhile");
        }
        if (Files.exists(from)) {
            rename(from, to);
        }
    }

    void rename(Path from, Path to) throws IOException {
        if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(to.toString());
        }
        told.accept("rename " + from.getFileName() + " to " + to.getFileName());
        DurableFiles.rename(from, to);
    }

    void delete(Path file) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            told.accept("delete " + file.getFileName());
            Files.delete(file);
            DurableFiles.forceDirectoryOf(file);
        }
    }

    /** Something that others do. */
    void other(String what) {
        told.accept(what);
    }

    /**
     * Gives a file the owner and the permissions of another.
     *
     * @return what could not be done, in words; empty when all was
     */
    String likeness(Path file, Path model) throws IOException {
        PosixFileAttributeView to = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        PosixFileAttributeView from = Files.getFileAttributeView(model, PosixFileAttributeView.class);
        if (to == null || from == null) {
            return "";
        }
        told.accept("set owner and permissions of " + file.getFileName());
        PosixFileAttributes wanted = from.readAttributes();
        String failed = "";
        try {
            to.setGroup(wanted.group());
            to.setOwner(wanted.owner());
        } catch (IOException ex) {
            failed = "owner and group of " + model + " (" + wanted.owner() + ", " + wanted.group()
                    + ") could not be given to the copy: " + ex.getMessage();
        }
        to.setPermissions(wanted.permissions());
        DurableFiles.force(file);
        return failed;
    }

    private static FileAttribute<?>[] ownerOnly(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
