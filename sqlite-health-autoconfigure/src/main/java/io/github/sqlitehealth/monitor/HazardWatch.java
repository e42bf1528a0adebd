package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.monitor.HazardRounds.Surroundings;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Volume;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.recovery.Counted;
import io.github.sqlitehealth.recovery.RescueRemains;
import io.github.sqlitehealth.witness.Circumstances;
import io.github.sqlitehealth.witness.Hazards;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hazards of one database: collects what bears on them, publishes those that hold, and says a line when one appears
 * and one when it goes. A text that changes, such as another process number, is no new hazard. Only the check thread
 * looks.
 */
final class HazardWatch {

    /** The one logger of hazards, so that they can be routed. */
    private static final Logger hazardLog = LoggerFactory.getLogger("io.github.sqlitehealth.hazard");

    private static final List<String> ORDER =
            List.of(HazardKind.values()).stream().map(HazardKind::key).toList();

    private final Database database;
    private final ForensicsDirectory directory;
    private final Ledger ledger;
    private final Desk desk;
    private final Timepiece time;
    private final WalGrowth growth;
    private final DiskSpace space = new DiskSpace();

    private List<String> drifted = List.of();

    HazardWatch(Database database, ForensicsDirectory directory, Ledger ledger, Desk desk, Timepiece time) {
        this.database = database;
        this.directory = directory;
        this.ledger = ledger;
        this.desk = desk;
        this.time = time;
        this.growth = new WalGrowth(database.file());
    }

    void look(Surroundings now) {
        Circumstances seen = circumstances(now);
        List<Hazard> hazards = new ArrayList<>(Hazards.of(seen));
        add(hazards, HazardKind.WAL_GROWING, growth.look(seen));
        add(hazards, HazardKind.DISK_SPACE, space.look(seen));
        add(hazards, HazardKind.INDEX_DRIFT, drift());
        add(hazards, HazardKind.RESCUE_COPIES, rescueCopies());
        tell(hazards);
    }

    /** Those of today's incident are told by it. */
    private @Nullable String rescueCopies() {
        if (ledger.state().latch().holds(Verdict.STRANDED)) {
            return null;
        }
        List<Path> left = RescueRemains.copies(directory);
        return left.isEmpty()
                ? null
                : Counted.of(left.size(), "rescue copy") + " of an incident in which this database lost its files, in "
                        + directory.path() + ", and the rows in them may be in no other place";
    }

    private void tell(List<Hazard> hazards) {
        hazards.sort(Comparator.comparing(hazard -> ORDER.indexOf(hazard.name())));
        List<Hazard> before = ledger.state().hazards();
        if (hazards.equals(before)) {
            return;
        }
        ledger.found(hazards);
        hazards.stream().filter(hazard -> isNotIn(before, hazard)).forEach(this::sayAppeared);
        before.stream().filter(hazard -> isNotIn(hazards, hazard)).forEach(this::sayGone);
    }

    /** What the last full check found out about derived indexes. */
    void drifted(List<String> indexes) {
        drifted = List.copyOf(indexes);
        List<Hazard> hazards = new ArrayList<>(ledger.state().hazards());
        hazards.removeIf(hazard -> hazard.name().equals(HazardKind.INDEX_DRIFT.key()));
        add(hazards, HazardKind.INDEX_DRIFT, drift());
        tell(hazards);
    }

    private @Nullable String drift() {
        return drifted.isEmpty()
                ? null
                : "the search index " + String.join(", ", drifted) + " does not agree with its table any more";
    }

    private static void add(List<Hazard> hazards, HazardKind kind, @Nullable String fact) {
        if (fact != null) {
            hazards.add(Hazard.of(kind, fact));
        }
    }

    private static boolean isNotIn(List<Hazard> hazards, Hazard hazard) {
        return hazards.stream().noneMatch(hazard::sameAs);
    }

    private void sayAppeared(Hazard hazard) {
        hazardLog.warn(line(hazard.name(), hazard));
    }

    private void sayGone(Hazard hazard) {
        hazardLog.info(line(hazard.name() + " is over", hazard));
    }

    private String line(String what, Hazard hazard) {
        return time.now().at() + " sqlite-health: hazard " + what + " [" + database.name() + "]: " + hazard.text()
                + "; file " + database.file();
    }

    private Circumstances circumstances(Surroundings now) {
        return new Circumstances(
                database.sqliteVersion(),
                files(),
                volume(now.volumes()),
                now.folders().above(database.file()),
                now.libraries(),
                desk.lastLive(),
                now.foreign().getOrDefault(database.file(), List.of()));
    }

    private Map<DatabaseFile, FileFacts> files() {
        Map<DatabaseFile, FileFacts> files = new EnumMap<>(DatabaseFile.class);
        for (DatabaseFile file : DatabaseFile.values()) {
            Path path = file.beside(database.file());
            try {
                FileFacts facts = FileFacts.of(path);
                if (facts != null) {
                    files.put(file, facts);
                }
            } catch (IOException ex) {
                hazardLog.debug("{} cannot be looked at", path, ex);
            }
        }
        return files;
    }

    private @Nullable Volume volume(Volumes.Survey volumes) {
        try {
            return volumes.of(database.file());
        } catch (IOException ex) {
            hazardLog.debug("The volume of {} cannot be told", database.file(), ex);
            return null;
        }
    }
}
