package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to be done about a database.
 *
 * @param database the main file, which need not exist
 * @param forensics the directory of its evidence, which is where the report goes
 * @param from the copy that shall become the database; absent to start with none
 * @param asked the request in the words of whoever made it, such as {@code latest}; what has been honoured once is told
 *     by them
 * @param force whether a sound database is to be replaced, too
 * @param again whether to honour what has been honoured before: for a command that somebody types, never for a property
 *     that is still there at the next start
 * @param dryRun whether only to find out what would be done
 * @param keepArchives how many of those that were moved aside are kept, at least 1
 * @param demands what the copy must be like
 * @param checkLimit how long one full check may take
 */
public record RestoreRequest(
        Path database,
        Path forensics,
        @Nullable Path from,
        String asked,
        boolean force,
        boolean again,
        boolean dryRun,
        int keepArchives,
        RestoreDemands demands,
        Duration checkLimit) {

    /** What is asked for when nothing is restored and the application creates a new database. */
    public static final String START_FRESH = "start-fresh";

    public RestoreRequest {
        if (keepArchives < 1) {
            throw new IllegalArgumentException("keepArchives must be at least 1, not " + keepArchives);
        }
        if ((from == null) != asked.equals(START_FRESH)) {
            throw new IllegalArgumentException(
                    "either from a copy or " + START_FRESH + ", not " + asked + " from " + from);
        }
    }
}
