package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.diagnosis.Verdict;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How the SQLite databases of the application are watched. A value that makes no sense fails the start.
 *
 * @param enabled Whether SQLite databases are watched.
 * @param exclude Names of DataSource beans that are left alone.
 * @param identityWatch The watch of the files.
 * @param quickCheck The quick check of the pages.
 * @param fullCheck The full check of the pages.
 * @param maxCheckLoad Largest part of the time that all checks of all databases may take; intervals stretch accordingly.
 * @param anchor The connection that stays open beside those of the application.
 * @param alarm The lines in the log.
 * @param staleAfter Time without an answer after which a database counts as unverified. Three quick check intervals by
 * default.
 * @param status Health status of a verdict, by verdict, where it is not to be the usual one.
 * @param content What must be in the databases.
 * @param confused What to do about a connection that is wrong about a healthy file.
 * @param stranded What to do while the process writes into files that are no longer at their paths.
 * @param snapshots The evidence on the disk.
 * @param backup Copies that have been checked.
 * @param metrics The meters.
 * @param startup The first check.
 * @param recovery What is done at the next start, once.
 */
@ConfigurationProperties("sqlite.health")
record SqliteHealthProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue List<String> exclude,
        @DefaultValue IdentityWatch identityWatch,
        @DefaultValue QuickCheck quickCheck,
        @DefaultValue FullCheck fullCheck,
        @DefaultValue("0.05") double maxCheckLoad,
        @DefaultValue Anchor anchor,
        @DefaultValue Alarm alarm,
        @Nullable Duration staleAfter,
        @DefaultValue Map<Verdict, String> status,
        @DefaultValue Content content,
        @DefaultValue Confused confused,
        @DefaultValue Stranded stranded,
        @DefaultValue Snapshots snapshots,
        @DefaultValue Backup backup,
        @DefaultValue Metrics metrics,
        @DefaultValue Startup startup,
        @DefaultValue Recovery recovery) {

    SqliteHealthProperties {
        if (!(maxCheckLoad > 0 && maxCheckLoad <= 1)) {
            throw Rules.broken("max-check-load", maxCheckLoad, "must be more than 0 and at most 1");
        }
        if (staleAfter != null) {
            Rules.positive("stale-after", staleAfter);
        }
        status = Rules.statuses(status);
        exclude = List.copyOf(exclude);
    }

    Duration effectiveStaleAfter() {
        return staleAfter != null ? staleAfter : quickCheck.interval().multipliedBy(3);
    }

    /**
     * The watch of the files.
     *
     * @param interval Time between two looks at the files.
     * @param initialDelay Time before the first look.
     * @param events Whether file events of the system lead to a look at once.
     */
    record IdentityWatch(
            @DefaultValue("1s") Duration interval,
            @DefaultValue("0s") Duration initialDelay,
            @DefaultValue("true") boolean events) {

        IdentityWatch {
            Rules.positive("identity-watch.interval", interval);
            Rules.notNegative("identity-watch.initial-delay", initialDelay);
        }
    }

    /**
     * The quick check of the pages.
     *
     * @param interval Time between two checks.
     * @param initialDelay Time before the first check.
     * @param timeout Time after which a check is cancelled.
     * @param retries How often a failed read is done again at once before it counts.
     * @param liveBudget Longest time for which the only connection of a pool is borrowed.
     */
    record QuickCheck(
            @DefaultValue("10m") Duration interval,
            @DefaultValue("10s") Duration initialDelay,
            @DefaultValue("30s") Duration timeout,
            @DefaultValue("2") int retries,
            @DefaultValue("1s") Duration liveBudget) {

        QuickCheck {
            Rules.positive("quick-check.interval", interval);
            Rules.notNegative("quick-check.initial-delay", initialDelay);
            Rules.positive("quick-check.timeout", timeout);
            if (retries < 0) {
                throw Rules.broken("quick-check.retries", retries, "must not be negative");
            }
            Rules.positive("quick-check.live-budget", liveBudget);
        }
    }

    /**
     * The full check of the pages.
     *
     * @param interval Time between two checks.
     * @param timeout Time after which a check is cancelled.
     * @param derivedIndexes External-content FTS5 tables that are asked whether they still agree with their content.
     * Written as "database.table" when it is about one of several databases.
     */
    record FullCheck(
            @DefaultValue("24h") Duration interval,
            @DefaultValue("10m") Duration timeout,
            @DefaultValue List<String> derivedIndexes) {

        FullCheck {
            Rules.positive("full-check.interval", interval);
            Rules.positive("full-check.timeout", timeout);
        }
    }

    /**
     * The connection that stays open beside those of the application.
     *
     * @param enabled Whether a read-only connection of the monitor stays open on a database in WAL mode.
     */
    record Anchor(@DefaultValue("true") boolean enabled) {}

    /**
     * The lines in the log.
     *
     * @param repeatInterval Time after which a verdict that still holds is logged again.
     */
    record Alarm(@DefaultValue("30m") Duration repeatInterval) {

        Alarm {
            Rules.positive("alarm.repeat-interval", repeatInterval);
        }
    }

    /**
     * What must be in the databases.
     *
     * @param requiredTables Tables that must exist, once they have been there. Written as "database.table" when it is
     * about one of several databases.
     * @param rowFloors Least number of rows, by table, once it has been reached.
     */
    record Content(
            @DefaultValue List<String> requiredTables,
            @DefaultValue Map<String, Long> rowFloors) {

        Content {
            rowFloors.forEach((table, rows) -> {
                if (rows < 1) {
                    throw Rules.broken("content.row-floors." + table, rows, "must be at least 1");
                }
            });
        }
    }

    /**
     * What to do about a connection that is wrong about a healthy file.
     *
     * @param evict Whether the connections of its pool are replaced, once the evidence is taken.
     */
    record Confused(@DefaultValue("false") boolean evict) {}

    /**
     * What to do while the process writes into files that are no longer at their paths.
     *
     * @param freeze Whether the connections of the application checkpoint no more.
     * @param rescue Whether rescue copies are taken.
     * @param rescueMaxSize Largest database of which rescue copies are taken.
     * @param halt Whether the process is ended hard, with exit code 70, once evidence and rows are safe.
     */
    record Stranded(
            @DefaultValue("true") boolean freeze,
            @DefaultValue("true") boolean rescue,
            @DefaultValue("2GB") DataSize rescueMaxSize,
            @DefaultValue("false") boolean halt) {

        Stranded {
            if (rescueMaxSize.toBytes() < 1) {
                throw Rules.broken("stranded.rescue-max-size", rescueMaxSize, "must be more than 0");
            }
        }
    }

    /**
     * The evidence on the disk.
     *
     * @param directory Directory in which each database gets a directory of its own. Beside the database file by default.
     * @param maxCount Most snapshots that are kept of one database.
     * @param maxSize Most space that the snapshots of one database take.
     * @param holdersTimeout Longest time for the search for processes that hold the files.
     */
    record Snapshots(
            @Nullable Path directory,
            @DefaultValue("200") int maxCount,
            @DefaultValue("64MB") DataSize maxSize,
            @DefaultValue("2s") Duration holdersTimeout) {

        Snapshots {
            if (directory != null) {
                Rules.directory("snapshots.directory", directory);
            }
            if (maxCount < 1) {
                throw Rules.broken("snapshots.max-count", maxCount, "must be at least 1");
            }
            if (maxSize.toBytes() < 1) {
                throw Rules.broken("snapshots.max-size", maxSize, "must be more than 0");
            }
            Rules.positive("snapshots.holders-timeout", holdersTimeout);
        }
    }

    /**
     * Copies that have been checked.
     *
     * @param enabled Whether backups are taken at regular intervals.
     * @param interval Age of the last verified backup at which another one is due.
     * @param directory Directory for the backups of all databases. Beside each database file by default.
     * @param keep Number of verified backups that are kept of one database.
     * @param timeout Time after which the check of a backup is given up.
     */
    record Backup(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("24h") Duration interval,
            @Nullable Path directory,
            @DefaultValue("7") int keep,
            @DefaultValue("1h") Duration timeout) {

        Backup {
            Rules.positive("backup.interval", interval);
            if (directory != null) {
                Rules.directory("backup.directory", directory);
            }
            if (keep < 1) {
                throw Rules.broken("backup.keep", keep, "must be at least 1");
            }
            Rules.positive("backup.timeout", timeout);
        }
    }

    /**
     * The meters.
     *
     * @param onlyUnhealthy Whether a database has meters only while its verdict is not HEALTHY.
     */
    record Metrics(@DefaultValue("false") boolean onlyUnhealthy) {}

    /**
     * The first check, and what keeps the application from starting.
     *
     * @param check Which check comes first, after the initial delay of the quick check or, with fail-fast, before the
     * application uses the database.
     * @param failFast Whether the application does not start on a database that is damaged, emptied, unreadable or gone.
     * @param maxUserVersion Newest version of a database that the application can work with. A newer one fails the start.
     * @param schemaVersionQuery Statement that gives the version of a database, where it is not SQLite's user version.
     */
    record Startup(
            @DefaultValue("quick") FirstCheck check,
            @DefaultValue("false") boolean failFast,
            @Nullable Long maxUserVersion,
            @DefaultValue(Startup.USER_VERSION) String schemaVersionQuery) {

        static final String USER_VERSION = "PRAGMA user_version";

        Startup {
            if (failFast && check == FirstCheck.NONE) {
                throw Rules.broken("startup.check", "none", "must be quick or full where startup.fail-fast is true");
            }
            if (maxUserVersion != null && maxUserVersion < 0) {
                throw Rules.broken("startup.max-user-version", maxUserVersion, "must not be negative");
            }
        }

        enum FirstCheck {
            NONE,
            QUICK,
            FULL
        }
    }

    /**
     * What is done at the next start, once, to a database that is damaged, emptied or missing.
     *
     * @param restoreFrom Copy that becomes the database, or "latest" for its newest verified backup.
     * @param startFresh Whether the application starts with a new database. The present one is moved aside.
     * @param database Name of the database that is meant. Not needed where the application has only one.
     * @param force Whether a sound database is replaced, too.
     * @param keepArchives How many of those that were moved aside are kept.
     */
    record Recovery(
            @Nullable String restoreFrom,
            @DefaultValue("false") boolean startFresh,
            @Nullable String database,
            @DefaultValue("false") boolean force,
            @DefaultValue("5") int keepArchives) {

        Recovery {
            if (restoreFrom != null && restoreFrom.isBlank()) {
                throw Rules.broken("recovery.restore-from", restoreFrom, "must be a file or latest");
            }
            if (restoreFrom != null && startFresh) {
                throw Rules.broken("recovery.start-fresh", true, "must not be set together with recovery.restore-from");
            }
            if (keepArchives < 1) {
                throw Rules.broken("recovery.keep-archives", keepArchives, "must be at least 1");
            }
        }

        boolean wanted() {
            return restoreFrom != null || startFresh;
        }
    }
}
