package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.recovery.BackupDirectory;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How backups are taken; the meaning of each value is that of the property of the same name.
 *
 * @param directory absent for a directory beside each database
 */
public record BackupSettings(
        boolean enabled, Duration interval, @Nullable Path directory, int keep, Duration timeout) {

    private static final Duration LEAST_RETRY = Duration.ofMinutes(1);

    /** None but those that somebody asks for. */
    public static final BackupSettings OFF =
            new BackupSettings(false, Duration.ofHours(24), null, 7, Duration.ofHours(1));

    /** Where the backups of a database are. */
    public BackupDirectory of(String database, Path file) {
        return new BackupDirectory(directory == null ? BackupDirectory.beside(file) : directory, database);
    }

    /** When a backup that has failed is tried again. */
    Duration retry() {
        Duration retry = interval.dividedBy(10);
        Duration atLeast = retry.compareTo(LEAST_RETRY) < 0 ? LEAST_RETRY : retry;
        return atLeast.compareTo(interval) < 0 ? atLeast : interval;
    }
}
