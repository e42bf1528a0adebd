package io.github.sqlitehealth.diagnosis;

import java.util.Locale;

/** Answers one question about a database. */
public enum Witness {
    /** Are the files that this process holds open the files at the paths? */
    IDENTITY,
    /** Does this process still hold the locks that SQLite believes it holds? */
    LOCKS,
    /** What does the application's own long-lived connection say? */
    LIVE,
    /** What does a connection say that has never failed? */
    FRESH,
    /** Is what used to be there still there? */
    CONTENT,
    /** Do the application's own writes land? */
    WRITES;

    /** The name in health details, snapshots and metrics. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
