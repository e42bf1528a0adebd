package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The backups of one database. Each is a copy, {@code <database>-<time>.db}, with its note beside it,
 * {@code <database>-<time>.json}; the note is there first, so that a copy never shows without it unless somebody has
 * removed it. Other files in the directory are none of its business. Thread-safe.
 */
public final class BackupDirectory {

    static final String TEMPORARY = ".tmp";

    private static final String COPY = ".db";
    private static final String NOTE = ".json";
    private static final String STAMP = "-(\\d{8}T\\d{6}\\.\\d{3}Z)";

    /** What follows the name of the database. */
    private static final Pattern OF_COPY = Pattern.compile(STAMP + "\\.db");

    private static final Pattern OF_UNFINISHED =
            Pattern.compile(STAMP + "(\\.tmp|\\.tmp-(journal|wal|shm)|\\.json\\.tmp)");

    private final Path path;
    private final String database;
    private final BackupProof proof = new BackupProof();

    /**
     * @param path need not exist yet
     * @param database its name, with which the names of its files begin
     */
    public BackupDirectory(Path path, String database) {
        this.path = path;
        this.database = database.replaceAll("[^A-Za-z0-9._-]|^\\.+", "_");
    }

    /** Where the backups of a database are when nothing else is configured. */
    public static Path beside(Path databaseFile) {
        return databaseFile.resolveSibling(databaseFile.getFileName() + "-backups");
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /**
     * All backups, newest first. A copy whose time of modification is not the one in its note, for instance because it
     * was brought from another machine, is read again, once.
     *
     * @throws UncheckedIOException when the directory is there and cannot be read
     */
    public List<Backup> list() {
        return copies().stream().map(this::look).toList();
    }

    /**
     * The newest backup that can be relied on.
     *
     * @throws UncheckedIOException when the directory is there and cannot be read
     */
    public Optional<Backup> latestVerified() {
        return copies().stream().map(this::look).filter(Backup::verified).findFirst();
    }

    /**
     * The backup of this file name, read again as a whole. A name that is not in the list names nothing, whatever path it
     * may look like.
     *
     * @throws UncheckedIOException when it cannot be read
     */
    public Optional<Backup> readAgain(String name) {
        return copies().stream()
                .filter(file -> String.valueOf(file.getFileName()).equals(name))
                .findFirst()
                .map(this::look)
                .map(proof::readAgain);
    }

    private List<Path> copies() {
        List<Path> copies = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(path)) {
            for (Path file : found) {
                if (end(OF_COPY, file).matches() && Files.isRegularFile(file)) {
                    copies.add(file);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException ex) {
            return List.of();
        } catch (IOException ex) {
            throw new UncheckedIOException(path + " cannot be listed: " + ex.getMessage(), ex);
        }
        copies.sort(Comparator.comparing((Path file) -> String.valueOf(file.getFileName()))
                .reversed());
        return copies;
    }

    private Backup look(Path file) {
        return proof.of(file, at(file));
    }

    private Instant at(Path file) {
        Matcher name = end(OF_COPY, file);
        return name.matches() ? ForensicsDirectory.time(name.group(1)) : Instant.EPOCH;
    }

    /** What a process leaves behind that is killed while it takes a backup; a note without its copy is such a thing, too. */
    boolean isUnfinished(Path file) {
        if (end(OF_UNFINISHED, file).matches()) {
            return true;
        }
        String name = String.valueOf(file.getFileName());
        Path copy = file.resolveSibling(name.replaceFirst(Pattern.quote(NOTE) + "$", COPY));
        return name.endsWith(NOTE) && end(OF_COPY, copy).matches() && !Files.exists(copy);
    }

    private Matcher end(Pattern pattern, Path file) {
        String name = String.valueOf(file.getFileName());
        return pattern.matcher(name.startsWith(database) ? name.substring(database.length()) : "");
    }

    /** The file of this database with such an end of its name. */
    Path file(String end) {
        return path.resolve(database + end);
    }

    /** The copy of that moment. */
    Path copy(Instant at) {
        return file("-" + ForensicsDirectory.stamp(at) + COPY);
    }

    static Path note(Path copy) {
        String name = String.valueOf(copy.getFileName());
        return copy.resolveSibling(name.substring(0, name.length() - COPY.length()) + NOTE);
    }
}
