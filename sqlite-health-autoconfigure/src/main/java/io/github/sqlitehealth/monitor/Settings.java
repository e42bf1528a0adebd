package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Retention;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ReadLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the monitor works; the meaning of each value is that of the property of the same name.
 *
 * @param firstCheck the first tick, absent when the first one comes after a whole interval
 * @param snapshotsDirectory absent for a directory beside each database
 * @param snapshotsMaxSize in bytes
 */
public record Settings(
        Duration watchInterval,
        Duration watchInitialDelay,
        boolean watchEvents,
        Duration quickInterval,
        Duration quickInitialDelay,
        Duration quickTimeout,
        int quickRetries,
        Duration liveBudget,
        Duration fullInterval,
        Duration fullTimeout,
        double maxCheckLoad,
        boolean anchor,
        ContentRules content,
        List<String> derivedIndexes,
        boolean confusedEvict,
        Duration alarmRepeatInterval,
        Duration staleAfter,
        @Nullable Check firstCheck,
        @Nullable Path snapshotsDirectory,
        int snapshotsMaxCount,
        long snapshotsMaxSize,
        Duration holdersTimeout,
        BackupSettings backup,
        WhileStranded stranded) {

    /** @param rescueMaxSize in bytes */
    public record WhileStranded(boolean freeze, boolean rescue, long rescueMaxSize, boolean halt) {}

    /** Where the evidence of a database is kept. */
    public ForensicsDirectory forensicsOf(String database, Path file) {
        return snapshotsDirectory == null
                ? new ForensicsDirectory(ForensicsDirectory.beside(file), false)
                : new ForensicsDirectory(
                        snapshotsDirectory.resolve(database.replaceAll("[^A-Za-z0-9._-]|^\\.+", "_")), true);
    }

    ReadLimits readLimits() {
        Duration turns = Duration.ofNanos((long) (quickInterval.toNanos() * maxCheckLoad));
        return new ReadLimits(quickTimeout, liveBudget, turns, quickRetries);
    }

    Retention retention() {
        return new Retention(snapshotsMaxCount, snapshotsMaxSize);
    }

    /** How long to rest after work that is done again and again, so that it takes no more of the time than checks may. */
    Duration restAfter(Duration took) {
        return Duration.ofNanos((long) (took.toNanos() / maxCheckLoad));
    }
}
