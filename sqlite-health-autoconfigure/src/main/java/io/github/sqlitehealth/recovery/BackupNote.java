package io.github.sqlitehealth.recovery;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * What is written down beside a backup once it has passed its check: without it a copy is only a file.
 *
 * @param database its name
 * @param source the file that was copied
 * @param at the moment that the copy shows
 * @param took copying and checking
 * @param sqliteVersion of the library that copied and checked
 * @param modified of the copy when it had been checked, in milliseconds: a copy that still has it need not be read again
 * @param facts what the check found in it
 */
public record BackupNote(
        String database,
        String source,
        Instant at,
        Duration took,
        String sqliteVersion,
        long modified,
        CopyFacts facts) {

    public BackupNote {
        Objects.requireNonNull(facts, "a note without facts proves nothing");
    }
}
