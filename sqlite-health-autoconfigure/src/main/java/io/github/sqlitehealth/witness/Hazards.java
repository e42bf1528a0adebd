package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The hazards that one look can tell, as a table from circumstances to facts. No I/O and no memory of earlier looks. */
public final class Hazards {

    private Hazards() {}

    private record Rule(HazardKind kind, Function<Circumstances, @Nullable String> fact) {}

    private static final List<Rule> RULES = List.of(
            new Rule(HazardKind.FOREIGN_STALE_HOLDER, seen -> ForeignHolders.stale(seen.foreign())),
            new Rule(HazardKind.HARD_LINK, Hazards::hardLink),
            new Rule(HazardKind.TWO_SQLITE_LIBRARIES, Hazards::twoLibraries),
            new Rule(HazardKind.NETWORK_MOUNT, Hazards::networkMount),
            new Rule(HazardKind.SYNCED_FOLDER, Hazards::syncedFolder),
            new Rule(HazardKind.WAL_RESET_BUG, Hazards::walReset),
            new Rule(HazardKind.SYNCHRONOUS_OFF, Hazards::synchronousOff),
            new Rule(HazardKind.UNSAFE_JOURNAL, Hazards::unsafeJournal),
            new Rule(HazardKind.FOREIGN_HOLDER, seen -> ForeignHolders.ordinary(seen.foreign())));

    /** What holds, by {@link HazardKind}. */
    public static List<Hazard> of(Circumstances seen) {
        List<Hazard> hazards = new ArrayList<>();
        for (Rule rule : RULES) {
            String fact = rule.fact().apply(seen);
            if (fact != null) {
                hazards.add(Hazard.of(rule.kind(), fact));
            }
        }
        return hazards;
    }

    private static @Nullable String hardLink(Circumstances seen) {
        FileFacts main = seen.files().get(DatabaseFile.MAIN);
        return main == null || main.links() < 2
                ? null
                : "the database file has " + main.links() + " names (hard links), and -wal and -shm belong to a name:"
                        + " whoever opens it by another one uses another WAL and corrupts it";
    }

    private static @Nullable String networkMount(Circumstances seen) {
        Volume volume = seen.volume();
        return volume == null || !NetworkFileSystems.isOne(volume.type())
                ? null
                : "the database lies on " + volume.type()
                        + (volume.mountPoint().isEmpty() ? "" : ", mounted at " + volume.mountPoint())
                        + ": locks and shared memory of a network, shared or user-space file system are not reliable,"
                        + " and a WAL needs both";
    }

    private static @Nullable String twoLibraries(Circumstances seen) {
        List<String> libraries = seen.libraries();
        return libraries.size() < 2
                ? null
                : libraries.size() + " SQLite libraries are loaded into this process (" + String.join(", ", libraries)
                        + "): when one closes a database file, the locks of the other on it are gone";
    }

    private static @Nullable String walReset(Circumstances seen) {
        return !seen.wal() || !SqliteVersions.hasWalResetBug(seen.sqliteVersion())
                ? null
                : "SQLite " + seen.sqliteVersion() + " has the WAL-reset bug (3.7.0 to 3.51.2): a checkpoint that meets"
                        + " a write in another connection may corrupt the database";
    }

    private static @Nullable String synchronousOff(Circumstances seen) {
        HandleFacts live = seen.live();
        return live == null || live.synchronous() != 0
                ? null
                : "a connection of the application has PRAGMA synchronous = 0 (OFF): a power failure or a crash of the"
                        + " system may corrupt the database";
    }

    private static @Nullable String unsafeJournal(Circumstances seen) {
        HandleFacts live = seen.live();
        return live == null || !live.unsafeJournal()
                ? null
                : "a connection of the application has PRAGMA journal_mode = "
                        + live.journalMode().toUpperCase(Locale.ROOT)
                        + ": a crash in the middle of a transaction corrupts the database";
    }

    private static @Nullable String syncedFolder(Circumstances seen) {
        return seen.syncedBy() == null
                ? null
                : "the database lies in a folder of " + seen.syncedBy()
                        + ", which copies and replaces its files one by one, without their locks";
    }
}
