package io.github.sqlitehealth.diagnosis;

import java.util.Locale;

/**
 * What can be true of a database, in order of precedence: several may hold, the first of them is <em>the</em> verdict.
 * Each names the status that it gives and the action that health and log recommend.
 */
public enum Verdict {
    /** This process writes into files that are no longer at their paths. */
    STRANDED(
            "This process writes into files that are no longer at their paths",
            "DOWN",
            "stop all others that write; read under rescue where the rows are and what a stop does with them; then stop and"
                    + " restart"),
    /** There is no file at the path, and nothing is held. */
    MISSING("There is no database file at the path", "DOWN", "check path and volume"),
    /** The file on disk is damaged. */
    DAMAGED("The database file is damaged", "DOWN", "stop writers, keep the files, restore from a verified backup"),
    /** I/O errors that stay, on two connections. */
    UNREADABLE("The database file cannot be read", "DOWN", "check disk and mount"),
    /** What used to be in the database is gone. */
    EMPTIED("What used to be in the database is gone", "DOWN", "do not let it be refilled; find the file; restore"),
    /** The application's writes fail and none has landed since. */
    WRITES_FAILING("The application's writes fail", "DOWN", "as the code says"),
    /** A connection of this process is wrong about a healthy file. */
    CONNECTION_CONFUSED(
            "A connection of this process is wrong about a healthy file",
            "DEGRADED",
            "replace the pool's connections; do not restore"),
    /** The locks of this process vanished while its connection stayed open. */
    LOCKS_LOST(
            "The locks of this process on the database have vanished",
            "DEGRADED",
            "something in this JVM opened and closed the file; restart before another process writes"),
    /** Nothing could be asked for too long. */
    UNVERIFIED("Nothing could be asked for too long", "UNKNOWN", "see the reason"),
    /** A failed read whose re-read passed. */
    SUSPECT("A read failed and passed when it was done again", "UP", "none; it is counted"),
    /** All that could be asked say OK. */
    HEALTHY("All that could be asked say ok", "UP", "none");

    private final String meaning;
    private final String status;
    private final String action;

    Verdict(String meaning, String status, String action) {
        this.meaning = meaning;
        this.status = status;
        this.action = action;
    }

    /** What is true, in one sentence. */
    public String meaning() {
        return meaning;
    }

    /** The code of the health status, unless the application overrides it. */
    public String status() {
        return status;
    }

    /** What to do, in one sentence. */
    public String action() {
        return action;
    }

    /** Whether this verdict, once given, holds until its own release rule lets it go. */
    public boolean latches() {
        return this != SUSPECT && this != HEALTHY;
    }

    /** The verdict as one writes it in a property name, such as {@code connection-confused}. */
    public String propertyName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
