package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The files of one database, as names and as ids, and the question whether a descriptor is on one of them. */
final class Sought {

    private final Map<DatabaseFile, Path> paths = new EnumMap<>(DatabaseFile.class);
    private final Map<DatabaseFile, FileId> present = new EnumMap<>(DatabaseFile.class);
    private final Map<DatabaseFile, Set<FileId>> alsoKnown;

    Sought(Path main, Map<DatabaseFile, Set<FileId>> alsoKnown) throws IOException {
        this.alsoKnown = alsoKnown;
        Path real = RealPath.of(main);
        for (DatabaseFile file : DatabaseFile.values()) {
            Path path = file.beside(real);
            FileFacts facts = FileFacts.of(path);
            paths.put(file, path);
            if (facts != null && facts.id() != null) {
                present.put(file, facts.id());
            }
        }
    }

    /** The paths at which there is a file. */
    List<Path> presentPaths() {
        return present.keySet().stream().map(paths::get).toList();
    }

    /** @return {@code null} when the descriptor is on something else; the locks are asked for only if it is not */
    @Nullable
    HeldFile match(Descriptor descriptor, boolean deleted, IntFunction<List<PosixLock>> locks) {
        DatabaseFile file = find(descriptor);
        if (file == null) {
            return null;
        }
        boolean stale = !descriptor.id().equals(present.get(file));
        int fd = descriptor.fd();
        return new HeldFile(fd, file.key(), descriptor.id().inode(), deleted, stale, locks.apply(fd));
    }

    /** What is at the path now comes first: an id that was known once may have been given to a new file. */
    private @Nullable DatabaseFile find(Descriptor descriptor) {
        for (Map.Entry<DatabaseFile, FileId> entry : present.entrySet()) {
            if (entry.getValue().equals(descriptor.id())) {
                return entry.getKey();
            }
        }
        for (Map.Entry<DatabaseFile, Set<FileId>> entry : alsoKnown.entrySet()) {
            if (entry.getValue().contains(descriptor.id())) {
                return entry.getKey();
            }
        }
        String name = descriptor.name();
        for (Map.Entry<DatabaseFile, Path> entry : paths.entrySet()) {
            String path = entry.getValue().toString();
            if (path.equals(name) || path.equals(descriptor.link())) {
                return entry.getKey();
            }
        }
        return null;
    }
}
