package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The backups of one database as others see them. Thread-safe. */
public interface DatabaseBackups {

    /** What is known of them. Costs a field access. */
    BackupState state();

    /**
     * Looks into the directory: all of them, newest first.
     *
     * @throws java.io.UncheckedIOException when it is there and cannot be read
     */
    List<Backup> list();

    /** Where they are; to look into it costs I/O. */
    BackupDirectory directory();

    /** Takes one now. A request that comes while one is taken gets its answer. */
    CompletableFuture<Backup> now();
}
