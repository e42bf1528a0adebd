package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of many databases, by id and by name. */
final class SoughtAll {

    private final Map<FileId, Target> present = new HashMap<>();

    /** By the last part of the name, and then by the directory, which may have another path in another container. */
    private final Map<String, Map<FileId, Target>> named = new HashMap<>();

    /**
     * A file that is looked for.
     *
     * @param main the database it belongs to, as it was asked for
     */
    record Target(Path main, DatabaseFile file) {}

    /** A database that cannot be looked at is left out: nothing can be said of it. */
    SoughtAll(Collection<Path> mains) {
        for (Path main : mains) {
            try {
                add(main);
            } catch (IOException e) {
                present.values().removeIf(target -> target.main().equals(main));
                named.values()
                        .forEach(targets -> targets.values()
                                .removeIf(target -> target.main().equals(main)));
            }
        }
    }

    private void add(Path main) throws IOException {
        Path real = RealPath.of(main);
        FileId directory = real.getParent() == null ? null : id(real.getParent());
        for (DatabaseFile file : DatabaseFile.values()) {
            Target target = new Target(main, file);
            Path path = file.beside(real);
            FileId id = id(path);
            if (id != null) {
                present.putIfAbsent(id, target);
            }
            if (directory != null) {
                named.computeIfAbsent(String.valueOf(path.getFileName()), name -> new HashMap<>())
                        .putIfAbsent(directory, target);
            }
        }
    }

    private static @Nullable FileId id(Path path) throws IOException {
        FileFacts facts = FileFacts.of(path);
        return facts == null ? null : facts.id();
    }

    /** The file that is at its path now and that the descriptor is on. */
    @Nullable
    Target present(Descriptor descriptor) {
        return present.get(descriptor.id());
    }

    /**
     * The file that a process calls by the path, though it need not be the one that is there. Files of one name are many
     * where there are containers, so the directory must be ours as that process sees it.
     */
    @Nullable
    Target named(Descriptor descriptor, Path process) {
        Target target = named(descriptor.name(), process);
        return target != null || !descriptor.deleted() ? target : named(descriptor.link(), process);
    }

    private @Nullable Target named(String path, Path process) {
        int slash = path.lastIndexOf('/');
        Map<FileId, Target> candidates = slash < 0 ? null : named.get(path.substring(slash + 1));
        if (candidates == null) {
            return null;
        }
        try {
            FileId directory = id(Path.of(process + "/root" + path.substring(0, slash)));
            return directory == null ? null : candidates.get(directory);
        } catch (IOException e) {
            return null;
        }
    }
}
