package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One backup in a directory.
 *
 * @param file the copy
 * @param at the moment that it shows, as its name says
 * @param verified whether it passed a full check and is what it was then
 * @param why it counts as not verified; absent when it is
 * @param note what was written down about it; absent when that is missing or cannot be understood
 */
public record Backup(
        Path file,
        Instant at,
        boolean verified,
        @Nullable String why,
        @Nullable BackupNote note) {

    /** The name of the file. */
    public String name() {
        return String.valueOf(file.getFileName());
    }

    /** What the check found in it; absent when nothing is known. */
    public @Nullable CopyFacts facts() {
        return note == null ? null : note.facts();
    }
}
