package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.MappedFiles;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/** Which copies of SQLite are loaded into this process. Each has its own books about the locks of the process. */
public final class SqliteLibraries {

    /**
     * sqlite-jdbc as it is extracted for each class loader, SQLite of the system, and what is built from it. An extension
     * ({@code mod_spatialite.so}, {@code libsqlite_zstd.so}) is no library.
     */
    private static final Pattern NAME = Pattern.compile("(sqlite-.+-)?libsqlitejdbc\\.so"
            + "|libsqlite3(-[\\d.]+|-jni|mc.*)?\\.so[\\d.]*"
            + "|libsqlcipher(-[\\d.]+)?\\.so[\\d.]*"
            + "|libe_sqlite3\\.so|libsqlite4java.*\\.so|libsqliteX\\.so");

    private final MappedFiles mapped;

    public SqliteLibraries(MappedFiles mapped) {
        this.mapped = mapped;
    }

    /** Their paths; empty where the system does not tell. */
    public List<String> loaded() {
        try {
            return mapped.named(name -> NAME.matcher(name).matches());
        } catch (IOException ex) {
            return List.of();
        }
    }
}
