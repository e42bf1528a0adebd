package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Verdict;
import java.nio.file.Path;
import java.time.Instant;
import org.springframework.context.ApplicationEvent;

/**
 * A database has another verdict. Published on a thread of the monitor: a listener that takes its time delays the next
 * look, so hand the work over.
 */
public final class SqliteVerdictChangedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final String database;
    private final String file;
    private final Verdict before;
    private final Verdict after;
    private final Instant at;

    SqliteVerdictChangedEvent(Object source, String database, Path file, Verdict before, Verdict after, Instant at) {
        super(source);
        this.database = database;
        this.file = file.toString();
        this.before = before;
        this.after = after;
        this.at = at;
    }

    /** The name of the database. */
    public String getDatabase() {
        return database;
    }

    /** The path of its main file. */
    public String getFile() {
        return file;
    }

    /** The verdict that held until now. */
    public Verdict getBefore() {
        return before;
    }

    /** The verdict that holds now. */
    public Verdict getAfter() {
        return after;
    }

    /** When it changed. */
    public Instant getAt() {
        return at;
    }
}
