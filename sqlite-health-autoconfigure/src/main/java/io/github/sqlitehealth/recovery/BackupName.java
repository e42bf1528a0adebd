package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The name under which an application keeps the backups of a database, for those who know only its file. */
public final class BackupName {

    private static final Logger log = LoggerFactory.getLogger(BackupName.class);

    private BackupName() {}

    /**
     * Reads the notes of the backups in a directory.
     *
     * @param main the main file, without symbolic links
     * @return the name in the newest one of that file; empty when there is none
     */
    public static Optional<String> of(Path directory, Path main) {
        List<BackupNote> notes = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.json")) {
                found.forEach(file -> Json.find(file, BackupNote.class).ifPresent(notes::add));
            } catch (IOException ex) {
                log.debug("{} cannot be listed", directory, ex);
            }
        }
        return notes.stream()
                .filter(note -> main.toString().equals(note.source()))
                .max(Comparator.comparing(BackupNote::at))
                .map(BackupNote::database);
    }
}
