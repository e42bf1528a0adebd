package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What to back up, and how.
 *
 * @param database its name
 * @param source its main file, which is never created
 * @param directory where to
 * @param shared whether the directory is one for several databases, which may belong to several applications
 * @param keep how many verified backups stay
 * @param bearable how long a writer of a database without WAL can wait
 * @param timeout after which the check, or the copying of a database without WAL, is given up
 * @param objection why there must be no backup now, absent when there may be one; asked before and after the copying
 * @param cancelled whether to give up
 */
public record BackupRequest(
        String database,
        Path source,
        BackupDirectory directory,
        boolean shared,
        int keep,
        Duration bearable,
        Duration timeout,
        Supplier<@Nullable String> objection,
        BooleanSupplier cancelled) {}
