package io.github.sqlitehealth.recovery;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a restore has come to. Kept as {@code restore-<time>.json} in the forensics directory when anything was done.
 *
 * @param outcome what it has come to
 * @param text the same in one line, for people
 * @param database the main file
 * @param asked the request in the words of whoever made it
 * @param forced whether a sound database was to be replaced, too
 * @param from the copy that was to become the database, absent when it was to start with none
 * @param identity of that copy, so that another one of the same name is not taken for it
 * @param state of the database before
 * @param condition the same in words
 * @param archives where the original and its sidecars are now, absent from it when they are in their places
 * @param installed what is true of the database now, absent when nothing has been installed
 * @param resumed whether this finishes or undoes what was interrupted
 * @param began when it was begun
 * @param ended when it had come to its end
 * @param notes what could not be found out or done and does not matter as much
 */
public record RestoreReport(
        Outcome outcome,
        String text,
        String database,
        String asked,
        boolean forced,
        @Nullable String from,
        @Nullable String identity,
        State state,
        String condition,
        List<String> archives,
        @Nullable CopyFacts installed,
        boolean resumed,
        Instant began,
        Instant ended,
        List<String> notes) {

    public RestoreReport {
        archives = List.copyOf(archives);
        notes = List.copyOf(notes);
    }

    /** What a restore can come to. */
    public enum Outcome {
        /** The copy is the database now, verified. */
        RESTORED,
        /** There is no database now; the application creates a new one. */
        STARTED_FRESH,
        /** Nothing was done, since the database is sound. */
        HEALTHY,
        /** Nothing was done, since this very request has been honoured before. */
        HONOURED_BEFORE,
        /** Nothing was done: a dry run. It would be done. */
        WOULD_BE_DONE,
        /** The original is in its place again. */
        UNDONE,
        /** Somebody has put another database in its place or used it meanwhile: it is left as it is, and all else, too. */
        LEFT_ALONE,
        /** Some act failed, and so did undoing it: the next start goes on. */
        STUCK
    }

    /** What a database can be like before a restore. */
    public enum State {
        /** Sound, and nothing is missing. */
        HEALTHY,
        /** Damaged, or no database at all. */
        DAMAGED,
        /** What has been in it or should be in it is not there. */
        EMPTIED,
        /** There is no file. */
        MISSING,
        /** It could not be checked. */
        UNKNOWN
    }
}
