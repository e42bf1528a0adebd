package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.ForeignHolders;
import io.github.sqlitehealth.witness.SqliteLibraries;
import io.github.sqlitehealth.witness.SyncedFolders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for hazards, on the check thread. What is the same for all databases is asked once a round, however many there
 * are: the processes, the mounts, the libraries of this process, the folders.
 */
final class HazardRounds {

    private static final Logger log = LoggerFactory.getLogger(HazardRounds.class);

    private final ForeignHolders foreign;
    private final Volumes volumes;
    private final SqliteLibraries libraries;

    HazardRounds(Holders holders, Volumes volumes, MappedFiles mapped, Duration holdersTimeout) {
        this.foreign = new ForeignHolders(holders, holdersTimeout);
        this.volumes = volumes;
        this.libraries = new SqliteLibraries(mapped);
    }

    /**
     * What all databases share at one moment.
     *
     * @param volumes and folders are asked for each database and know what was asked before
     */
    record Surroundings(
            Map<Path, List<Holder>> foreign, List<String> libraries, Volumes.Survey volumes, SyncedFolders folders) {}

    /** One look at each of these databases. Neither throws nor asks SQL. */
    void look(List<DatabaseMonitor> databases) {
        if (databases.isEmpty()) {
            return;
        }
        try {
            List<Path> files = databases.stream()
                    .map(database -> database.database().file())
                    .toList();
            Surroundings now =
                    new Surroundings(foreign.ask(files), libraries.loaded(), volumes.survey(), new SyncedFolders());
            databases.forEach(database -> look(database, now));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The look for hazards failed; the next one will be tried", ex);
        }
    }

    private static void look(DatabaseMonitor database, Surroundings now) {
        try {
            database.hazards().look(now);
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The look for hazards of {} failed; the next one will be tried",
                    database.database().file(),
                    ex);
        }
    }
}
