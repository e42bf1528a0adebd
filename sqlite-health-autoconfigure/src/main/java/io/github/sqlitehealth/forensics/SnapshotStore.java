package io.github.sqlitehealth.forensics;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * The snapshots of one database, those of earlier processes included. What cannot be written is kept in memory, the
 * newest few of them. Thread-safe; a list costs no I/O.
 */
public final class SnapshotStore {

    private static final Logger log = LoggerFactory.getLogger(SnapshotStore.class);

    private static final String PREFIX = "snapshot-";
    private static final String SUFFIX = ".json";
    private static final int MOST_UNWRITTEN = 10;

    private final ForensicsDirectory directory;
    private final Retention retention;
    private final Clock clock;
    private final TreeMap<String, Stored> stored = new TreeMap<>();
    private Map<String, Map<String, Object>> unwritten = Map.of();
    private volatile List<SnapshotEntry> entries = List.of();
    private boolean complained;

    public SnapshotStore(ForensicsDirectory directory, Retention retention, Clock clock) {
        this.directory = directory;
        this.retention = retention;
        this.clock = clock;
        directory.sweep(clock.instant());
        refresh();
    }

    /** All snapshots, oldest first. */
    public List<SnapshotEntry> entries() {
        return entries;
    }

    /** One whole snapshot. An id that is not in the list names nothing, whatever path it may look like. */
    public Optional<Map<String, Object>> read(String id) {
        if (entries.stream().noneMatch(entry -> entry.id().equals(id))) {
            return Optional.empty();
        }
        synchronized (this) {
            Map<String, Object> kept = unwritten.get(id);
            if (kept != null) {
                return Optional.of(kept);
            }
        }
        try {
            return Optional.of(Json.readObject(directory.file(PREFIX + id + SUFFIX)));
        } catch (JacksonException ex) {
            log.debug("The snapshot {} has gone or changed", id, ex);
            return Optional.empty();
        }
    }

    /** Writes a snapshot and lets retention take its toll. */
    public synchronized void add(SnapshotEntry entry, Map<String, Object> snapshot) {
        byte[] content = Json.write(snapshot);
        try {
            directory.write(PREFIX + entry.id() + SUFFIX, content);
            complained = false;
            stored.put(entry.id(), new Stored(entry, content.length));
            refresh();
        } catch (IOException ex) {
            keepInMemory(entry, snapshot, ex);
        }
    }

    private void keepInMemory(SnapshotEntry entry, Map<String, Object> snapshot, IOException why) {
        if (!complained) {
            complained = true;
            log.warn(
                    "Snapshots cannot be written to {} ({}); the newest {} are kept in memory",
                    directory.path(),
                    why.toString(),
                    MOST_UNWRITTEN);
        }
        unwritten = new LinkedHashMap<>(unwritten);
        unwritten.put(entry.id(), snapshot);
        stored.put(entry.id(), new Stored(entry, 0));
        if (unwritten.size() > MOST_UNWRITTEN) {
            String oldest = unwritten.keySet().iterator().next();
            unwritten.remove(oldest);
            stored.remove(oldest);
        }
        publish();
    }

    /** Another process may write to the same directory, and remove from it. */
    private synchronized void refresh() {
        Map<String, Path> files = files();
        if (files.isEmpty() && stored.isEmpty()) {
            return;
        }
        stored.keySet().removeIf(id -> !files.containsKey(id) && !unwritten.containsKey(id));
        files.forEach((id, file) -> {
            if (!stored.containsKey(id)) {
                load(id, file);
            }
        });
        for (String id : retention.surplus(List.copyOf(stored.values()))) {
            remove(id);
        }
        publish();
    }

    private void load(String id, Path file) {
        byte[] content;
        try {
            content = Files.readAllBytes(file);
        } catch (IOException ex) {
            // Removed by another process since it was listed, or not readable today: that makes it no worse a file.
            log.debug("The snapshot {} cannot be read", id, ex);
            return;
        }
        try {
            SnapshotEntry entry = Json.read(content, SnapshotEntry.class);
            if (!id.equals(entry.id())) {
                throw new IOException("it names itself " + entry.id());
            }
            stored.put(id, new Stored(entry, content.length));
        } catch (JacksonException | IOException ex) {
            directory.setAside(PREFIX + id + SUFFIX, clock.instant(), ex);
        }
    }

    private Map<String, Path> files() {
        Map<String, Path> files = new TreeMap<>();
        if (!Files.isDirectory(directory.path())) {
            return files;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory.path(), PREFIX + "*" + SUFFIX)) {
            for (Path file : found) {
                String name = String.valueOf(file.getFileName());
                files.put(name.substring(PREFIX.length(), name.length() - SUFFIX.length()), file);
            }
        } catch (IOException ex) {
            log.debug("The snapshots in {} cannot be listed", directory.path(), ex);
        }
        return files;
    }

    private void remove(String id) {
        try {
            if (!unwritten.containsKey(id) || unwritten.remove(id) == null) {
                Files.deleteIfExists(directory.file(PREFIX + id + SUFFIX));
            }
            stored.remove(id);
        } catch (IOException ex) {
            log.debug("The snapshot {} cannot be removed", id, ex);
        }
    }

    private void publish() {
        List<SnapshotEntry> all = new ArrayList<>();
        stored.values().forEach(each -> all.add(each.entry()));
        all.sort(Comparator.comparing(SnapshotEntry::id));
        entries = List.copyOf(all);
    }

    /**
     * A snapshot in the directory.
     *
     * @param size in bytes
     */
    record Stored(SnapshotEntry entry, long size) {}
}
