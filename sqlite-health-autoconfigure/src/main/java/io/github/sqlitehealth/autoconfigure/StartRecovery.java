package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.SqliteHealthProperties.Recovery;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.CopyFacts;
import io.github.sqlitehealth.recovery.Restore;
import io.github.sqlitehealth.recovery.RestoreDemands;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import io.github.sqlitehealth.recovery.RestoreReport;
import io.github.sqlitehealth.recovery.RestoreRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a person wants to be done to a database before the application uses it, and what an earlier start left undone. */
final class StartRecovery {

    private static final Logger log = LoggerFactory.getLogger(StartRecovery.class);

    private static final String LATEST = "latest";

    private final SqliteHealthProperties properties;
    private final Settings settings;

    StartRecovery(SqliteHealthProperties properties, Settings settings) {
        this.properties = properties;
        this.settings = settings;
    }

    /**
     * Finishes what was interrupted, then does what is asked for.
     *
     * @param all names of the DataSources of the application
     * @return why what is asked for is not done again, when it has been done before
     * @throws DatabaseRefusedException when that cannot be done: to start all the same would not be what was asked for
     */
    Optional<RestoreReport> apply(String name, Path file, Set<String> all) {
        Recovery wanted = properties.recovery();
        if (wanted.wanted() && wanted.database() == null && all.size() > 1) {
            throw Rules.broken("recovery.database", "", "must say which one is meant: " + String.join(", ", all));
        }
        try {
            Restore.finishInterrupted(file).ifPresent(StartRecovery::tell);
            if (wanted.wanted()
                    && (wanted.database() == null || wanted.database().equals(name))) {
                RestoreReport report = Restore.run(request(name, file, wanted));
                tell(report);
                return Optional.of(report).filter(done -> done.outcome() == RestoreReport.Outcome.HONOURED_BEFORE);
            }
            return Optional.empty();
        } catch (RestoreRefusedException ex) {
            throw new DatabaseRefusedException(
                    "The database " + file + " of the DataSource \"" + name + "\" is left as it is: " + ex.getMessage(),
                    "Nothing has been changed. Correct the cause, or remove sqlite.health.recovery.* to start with the"
                            + " database as it is.");
        }
    }

    void refuseUnlessMet(Set<String> names) {
        Recovery wanted = properties.recovery();
        if (wanted.wanted() && wanted.database() != null && !names.contains(wanted.database())) {
            throw Rules.broken(
                    "recovery.database",
                    wanted.database(),
                    "is none of the databases of this application: " + String.join(", ", new TreeSet<>(names)));
        }
    }

    /**
     * Moves a derived database aside, whatever its state, so that a new one can be built.
     *
     * @param half whether an earlier rebuild has begun it, for which no older archive may go
     * @return where it is now
     */
    List<String> moveAside(String name, Path file, boolean half) throws RestoreRefusedException {
        RestoreReport report = Restore.run(new RestoreRequest(
                file,
                settings.forensicsOf(name, file).path(),
                null,
                RestoreRequest.START_FRESH,
                true,
                true,
                false,
                half ? Integer.MAX_VALUE : properties.recovery().keepArchives(),
                RestoreDemands.NONE,
                settings.fullTimeout()));
        tell(report);
        return report.archives();
    }

    /** The backups of a database, wherever they are kept. */
    BackupDirectory backups(String name, Path file) {
        return settings.backup().of(name, file);
    }

    private RestoreRequest request(String name, Path file, Recovery wanted) {
        Optional<Backup> latest = backups(name, file).latestVerified();
        String asked = wanted.startFresh() ? RestoreRequest.START_FRESH : String.valueOf(wanted.restoreFrom());
        return new RestoreRequest(
                file,
                settings.forensicsOf(name, file).path(),
                from(name, file, asked, latest),
                asked,
                wanted.force(),
                false,
                false,
                wanted.keepArchives(),
                new RestoreDemands(
                        settings.content().of(name),
                        properties.startup().maxUserVersion(),
                        latest.map(Backup::facts).map(CopyFacts::applicationId).orElse(null)),
                settings.fullTimeout());
    }

    private @Nullable Path from(String name, Path file, String asked, Optional<Backup> latest) {
        if (asked.equals(RestoreRequest.START_FRESH)) {
            return null;
        }
        if (!asked.equals(LATEST)) {
            return Path.of(asked);
        }
        return latest.orElseThrow(() -> new DatabaseRefusedException(
                        "There is no verified backup of the database " + file + " of the DataSource \"" + name
                                + "\" in " + backups(name, file).path() + ".",
                        "Nothing has been changed. Name a file in sqlite.health.recovery.restore-from, or remove it."))
                .file();
    }

    /** The text begins with the file. */
    private static void tell(RestoreReport report) {
        switch (report.outcome()) {
            case RESTORED, STARTED_FRESH, LEFT_ALONE -> log.warn(report.text());
            case HONOURED_BEFORE -> log.error(report.text());
            case HEALTHY, WOULD_BE_DONE -> log.info(report.text());
            case UNDONE, STUCK ->
                throw new DatabaseRefusedException(
                        "What was asked for could not be done: " + report.text(),
                        "Correct the cause and start again, or remove sqlite.health.recovery.* to start with the database"
                                + " as it is.");
        }
    }
}
