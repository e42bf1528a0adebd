package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Whether a copy is still the one that has passed its check. Thread-safe. */
final class BackupProof {

    private static final String CHANGED = "it has been changed since it was checked";

    /** What was read again because its time had changed, and what came of it. */
    private final Map<Seen, Boolean> readAgain = new ConcurrentHashMap<>();

    private record Seen(Path file, long size, long modified) {}

    /** What it is worth, by its note. One whose time of modification is another is read as a whole, once. */
    Backup of(Path file, Instant at) {
        BackupNote note =
                Json.find(BackupDirectory.note(file), BackupNote.class).orElse(null);
        if (note == null) {
            String why = Files.exists(BackupDirectory.note(file))
                    ? "its note " + BackupDirectory.note(file).getFileName() + " cannot be understood"
                    : "it was never checked: there is no "
                            + BackupDirectory.note(file).getFileName();
            return new Backup(file, at, false, why, null);
        }
        String why = changed(file, note);
        return new Backup(file, at, why == null, why, note);
    }

    private @Nullable String changed(Path file, BackupNote note) {
        try {
            Seen seen = new Seen(
                    file, Files.size(file), Files.getLastModifiedTime(file).toMillis());
            if (seen.size() != note.facts().bytes()) {
                return "it has " + seen.size() + " bytes, and had "
                        + note.facts().bytes() + " when it was checked";
            }
            if (seen.modified() == note.modified() || same(seen, note)) {
                return null;
            }
            return CHANGED;
        } catch (IOException ex) {
            return "it cannot be read: " + ex.getMessage();
        }
    }

    private boolean same(Seen seen, BackupNote note) throws IOException {
        Boolean known = readAgain.get(seen);
        if (known == null) {
            known = DurableFiles.sha256(seen.file()).equals(note.facts().sha256());
            readAgain.put(seen, known);
        }
        return known;
    }

    /** Reads it as a whole, whatever its note says. */
    Backup readAgain(Backup backup) {
        CopyFacts facts = backup.facts();
        try {
            return !backup.verified()
                            || facts == null
                            || DurableFiles.sha256(backup.file()).equals(facts.sha256())
                    ? backup
                    : new Backup(backup.file(), backup.at(), false, CHANGED, backup.note());
        } catch (IOException ex) {
            throw new UncheckedIOException(backup.file() + " cannot be read: " + ex.getMessage(), ex);
        }
    }
}
