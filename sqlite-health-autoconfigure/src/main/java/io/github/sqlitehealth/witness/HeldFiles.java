package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OpenFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells which of a database's files this process holds: from {@code /proc/self/fd} where there is one. Elsewhere what
 * was at the paths while a connection was open is the baseline, and {@code lsof} is asked when it changes.
 */
public final class HeldFiles {

    private static final Duration LSOF_LIMIT = Duration.ofSeconds(2);

    private final OwnDescriptors own;
    private final Holders holders;
    private final LongSupplier anchorGeneration;

    private Map<DatabaseFile, FileId> known = Map.of();
    private long knownGeneration = -1;

    /**
     * @param anchorGeneration of {@link Anchor#generation()}: while it stays the same, a connection is open for certain
     */
    public HeldFiles(OwnDescriptors own, Holders holders, LongSupplier anchorGeneration) {
        this.own = own;
        this.holders = holders;
        this.anchorGeneration = anchorGeneration;
    }

    Look compare(Path main, IdentityWitness.Stats stats, List<Stale> before) throws IOException {
        Map<DatabaseFile, FileFacts> atPath = stats.files();
        OpenFiles open = own.heldSince(stats.nanoTime());
        return open == null
                ? compareWithBaseline(main, atPath, before)
                : compare(main, atPath, ours(main, atPath, open, before), before);
    }

    /** Those that may have to do with this database: one of thousands would look at the descriptors of all. */
    private List<Descriptor> ours(Path main, Map<DatabaseFile, FileFacts> atPath, OpenFiles open, List<Stale> before) {
        Set<FileId> ids = new HashSet<>(known.values());
        before.forEach(stale -> ids.add(stale.held()));
        List<String> names = new ArrayList<>();
        for (DatabaseFile file : DatabaseFile.values()) {
            FileId id = idAt(atPath, file);
            if (id != null) {
                ids.add(id);
            }
            names.add(file.beside(main).toString());
        }
        return open.on(ids, names);
    }

    private Look compare(Path main, Map<DatabaseFile, FileFacts> atPath, List<Descriptor> held, List<Stale> before) {
        Descent descent = new Descent(main, atPath, held, known, before);
        FileId wal = idAt(atPath, DatabaseFile.WAL);
        List<Stale> stale = tellSharing(
                descent.stale(), held.stream().anyMatch(each -> each.id().equals(wal)));
        if (stale.isEmpty()) {
            known = descent.current();
        }
        return new Look(atPath, stale, descent.held(), null);
    }

    private Look compareWithBaseline(Path main, Map<DatabaseFile, FileFacts> atPath, List<Stale> before)
            throws IOException {
        long generation = anchorGeneration.getAsLong();
        boolean sameAnchor = generation >= 0 && generation == knownGeneration;
        List<Stale> changed = changed(atPath);
        if (changed.isEmpty() && before.isEmpty()) {
            known = ids(atPath);
            knownGeneration = generation;
            return new Look(atPath, List.of(), true, null);
        }
        try {
            return compare(main, atPath, holders.ownByLsof(LSOF_LIMIT), before);
        } catch (IOException ex) {
            if (sameAnchor) {
                // It has been open since the baseline was taken, so what changed cannot have changed innocently.
                return new Look(atPath, changed, true, null);
            }
            known = ids(atPath);
            knownGeneration = generation;
            return new Look(
                    atPath, List.of(), true, "files changed, and whether the old ones are held cannot be seen: " + ex);
        }
    }

    private List<Stale> changed(Map<DatabaseFile, FileFacts> atPath) {
        List<Stale> changed = new ArrayList<>();
        known.forEach((file, id) -> {
            FileId now = idAt(atPath, file);
            if (!id.equals(now)) {
                changed.add(new Stale(file, id, now, false));
            }
        });
        return tellSharing(changed, known.containsKey(DatabaseFile.WAL));
    }

    /** @param walHeld whether what is at the path of -wal is held */
    private static List<Stale> tellSharing(List<Stale> stale, boolean walHeld) {
        return !walHeld || stale.stream().anyMatch(each -> each.file() == DatabaseFile.WAL)
                ? stale
                : stale.stream()
                        .map(each ->
                                each.file() == DatabaseFile.MAIN && each.atPath() != null ? each.sharingWal() : each)
                        .toList();
    }

    private static Map<DatabaseFile, FileId> ids(Map<DatabaseFile, FileFacts> atPath) {
        Map<DatabaseFile, FileId> ids = new EnumMap<>(DatabaseFile.class);
        for (DatabaseFile file : DatabaseFile.values()) {
            FileId id = idAt(atPath, file);
            if (id != null) {
                ids.put(file, id);
            }
        }
        return ids;
    }

    private static @Nullable FileId idAt(Map<DatabaseFile, FileFacts> atPath, DatabaseFile file) {
        FileFacts facts = atPath.get(file);
        return facts == null ? null : facts.id();
    }
}
