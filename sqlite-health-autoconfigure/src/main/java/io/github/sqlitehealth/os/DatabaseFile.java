package io.github.sqlitehealth.os;

import java.nio.file.Path;
import java.util.Locale;

/** The files that make up one SQLite database. */
public enum DatabaseFile {
    /** The database file itself. */
    MAIN(""),
    /** The write-ahead log. */
    WAL("-wal"),
    /** The index of the write-ahead log, shared in memory. */
    SHM("-shm");

    private final String suffix;

    DatabaseFile(String suffix) {
        this.suffix = suffix;
    }

    /** Where SQLite puts this file. */
    public Path beside(Path main) {
        Path name = main.getFileName();
        return name == null ? main : main.resolveSibling(name + suffix);
    }

    /** The name in snapshots, metrics and texts: {@code main}, {@code wal} or {@code shm}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
