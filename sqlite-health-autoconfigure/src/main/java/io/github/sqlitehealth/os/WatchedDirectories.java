package io.github.sqlitehealth.os;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which directories are watched, under which names, and which the system refuses to watch. Not thread-safe. */
final class WatchedDirectories {

    private static final Logger log = LoggerFactory.getLogger(DirectoryWatch.class);

    private final Map<Path, Watched> watched = new HashMap<>();
    private final Set<Path> refused = new HashSet<>();

    /**
     * A key may serve several names of one directory.
     *
     * @param change of the directory when it was last seen to be the one that is watched
     */
    private record Watched(
            WatchKey key, @Nullable FileId id, @Nullable FileTime change) {}

    /**
     * Begins to watch a directory with the service, if it is not watched yet.
     *
     * @param change of the directory, asked just now; {@code null} when nobody has asked
     * @return {@code false} when the system refuses
     */
    boolean watch(Path directory, @Nullable FileTime change, WatchService service) {
        Watched known = watched.get(directory);
        if (known != null && known.key().isValid() && change != null && change.equals(known.change())) {
            return true;
        }
        try {
            FileFacts facts = FileFacts.of(directory);
            FileId id = facts == null ? null : facts.id();
            if (known != null && facts != null && known.key().isValid() && Objects.equals(known.id(), id)) {
                watched.put(directory, new Watched(known.key(), id, change));
                return true;
            }
            unwatch(directory);
            watched.put(directory, new Watched(directory.register(service, ENTRY_CREATE, ENTRY_DELETE), id, change));
            refused.remove(directory);
            return true;
        } catch (ClosedWatchServiceException e) {
            return false;
        } catch (IOException | RuntimeException e) {
            if (refused.add(directory)) {
                log.warn(
                        "{} cannot be watched, changes in it will be found by the poll only: {}",
                        directory,
                        e.toString());
            }
            return false;
        }
    }

    void unwatch(Path directory) {
        Watched before = watched.remove(directory);
        if (before != null && namesOf(before.key()).isEmpty()) {
            before.key().cancel();
        }
    }

    List<Path> namesOf(WatchKey key) {
        return watched.entrySet().stream()
                .filter(entry -> entry.getValue().key().equals(key))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The directory of this key is gone. */
    void forget(WatchKey key) {
        watched.values().removeIf(entry -> entry.key().equals(key));
    }
}
