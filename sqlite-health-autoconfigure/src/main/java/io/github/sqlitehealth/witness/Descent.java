package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the descriptors that this process holds with the files at the paths: by device and inode, never by name. A
 * name only tells which of the three files a descriptor once was: "(deleted)" is no proof on every file system, and the
 * descriptor of a renamed file shows its new name.
 */
final class Descent {

    private static final String DELETED = " (deleted)";

    private final Path main;
    private final Map<DatabaseFile, FileFacts> atPath;
    private final Map<DatabaseFile, Set<FileId>> current = new EnumMap<>(DatabaseFile.class);
    private final Map<DatabaseFile, Set<FileId>> stale = new EnumMap<>(DatabaseFile.class);

    /** Whether the main file is held: nobody holds its sidecars without it. */
    private final boolean open;

    /**
     * @param known what this process was seen to hold before, so that a renamed file is recognised
     * @param before what was stale before, and stays so for as long as it is held
     */
    Descent(
            Path main,
            Map<DatabaseFile, FileFacts> atPath,
            List<Descriptor> held,
            Map<DatabaseFile, FileId> known,
            List<Stale> before) {
        this.main = main;
        this.atPath = atPath;
        this.open = held.stream().anyMatch(descriptor -> isMain(descriptor, known.get(DatabaseFile.MAIN)));
        for (DatabaseFile file : DatabaseFile.values()) {
            current.put(file, new HashSet<>());
            stale.put(file, new HashSet<>());
            sort(file, held, known, before);
        }
    }

    private void sort(DatabaseFile file, List<Descriptor> held, Map<DatabaseFile, FileId> known, List<Stale> before) {
        FileId there = idAt(file);
        String name = file.beside(main).toString();
        boolean currentHeld =
                held.stream().anyMatch(descriptor -> descriptor.id().equals(there));
        for (Descriptor descriptor : held) {
            FileId id = descriptor.id();
            if (there != null && there.equals(id)) {
                current(file).add(there);
            } else if (isNamed(descriptor.link(), name) || wasStale(file, id, before)) {
                stale(file).add(id);
            } else if (id.equals(known.get(file)) && !currentHeld && open && isOtherSidecarHeld(file, held, known)) {
                // It was held under this name and is held under another one now. With the current file held too, or
                // after the last connection or the WAL mode has gone, the inode may long belong to some other file:
                // numbers are used again.
                stale(file).add(id);
            }
        }
    }

    /** Whoever holds one of the sidecars holds both, unless it never did. */
    private boolean isOtherSidecarHeld(DatabaseFile file, List<Descriptor> held, Map<DatabaseFile, FileId> known) {
        DatabaseFile other = file == DatabaseFile.WAL ? DatabaseFile.SHM : DatabaseFile.WAL;
        FileId before = known.get(other);
        String name = other.beside(main).toString();
        return file == DatabaseFile.MAIN
                || before == null
                || held.stream()
                        .anyMatch(descriptor -> descriptor.id().equals(before)
                                || descriptor.id().equals(idAt(other))
                                || isNamed(descriptor.link(), name));
    }

    private boolean isMain(Descriptor descriptor, @Nullable FileId known) {
        FileId id = descriptor.id();
        return id.equals(idAt(DatabaseFile.MAIN)) || id.equals(known) || isNamed(descriptor.link(), main.toString());
    }

    private static boolean isNamed(String link, String name) {
        return link.equals(name) || link.equals(name + DELETED);
    }

    private static boolean wasStale(DatabaseFile file, FileId id, List<Stale> before) {
        return before.stream()
                .anyMatch(stale -> stale.file() == file && stale.held().equals(id));
    }

    List<Stale> stale() {
        List<Stale> all = new ArrayList<>();
        stale.forEach((file, ids) -> ids.forEach(id -> all.add(new Stale(file, id, idAt(file), false))));
        return all;
    }

    /** Whether a connection is open, as far as descriptors tell. */
    boolean held() {
        return !current(DatabaseFile.MAIN).isEmpty()
                || !stale(DatabaseFile.MAIN).isEmpty();
    }

    /** The files at the paths that this process holds. */
    Map<DatabaseFile, FileId> current() {
        Map<DatabaseFile, FileId> ids = new EnumMap<>(DatabaseFile.class);
        current.forEach((file, held) -> held.forEach(id -> ids.put(file, id)));
        return ids;
    }

    private Set<FileId> current(DatabaseFile file) {
        return current.computeIfAbsent(file, any -> new HashSet<>());
    }

    private Set<FileId> stale(DatabaseFile file) {
        return stale.computeIfAbsent(file, any -> new HashSet<>());
    }

    private @Nullable FileId idAt(DatabaseFile file) {
        FileFacts facts = atPath.get(file);
        return facts == null ? null : facts.id();
    }
}
