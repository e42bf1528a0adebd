package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code <database>.corrupt} beside a database that was found damaged, for whoever comes next: a person, a script,
 * or the gate at the next start. Only a full check that passes takes it away.
 *
 * @param time when the damage was confirmed, absent when the marker cannot be understood
 * @param verdict that was given
 * @param text what the check said
 * @param snapshot the id of the evidence, absent when there is none
 */
public record CorruptMarker(
        @Nullable Instant time,
        String verdict,
        String text,
        @Nullable String snapshot) {

    private static final Logger log = LoggerFactory.getLogger(CorruptMarker.class);

    static Path beside(Path database) {
        return database.resolveSibling(database.getFileName() + ".corrupt");
    }

    /** Whether there is one. A directory that happens to have its name is none. */
    public static boolean exists(Path database) {
        return Files.isRegularFile(beside(database));
    }

    /** The marker of a database. One that cannot be understood is a marker, too: it is there. */
    public static Optional<CorruptMarker> of(Path database) {
        Path file = beside(database);
        if (!exists(database)) {
            return Optional.empty();
        }
        try {
            Map<String, Object> found = Json.readObject(file);
            Object snapshot = found.get("snapshot");
            return Optional.of(new CorruptMarker(
                    Instant.parse(String.valueOf(found.get("time"))),
                    String.valueOf(found.get("verdict")),
                    String.valueOf(found.get("text")),
                    snapshot == null ? null : snapshot.toString()));
        } catch (RuntimeException ex) {
            log.warn("{} cannot be understood ({}); it counts all the same", file, ex.getMessage());
            return Optional.of(new CorruptMarker(null, "DAMAGED", "the marker cannot be understood", null));
        }
    }

    /** Puts it beside the database unless there is one, whose clock goes on. */
    public void write(Path database) throws IOException {
        if (exists(database)) {
            return;
        }
        Path file = beside(database);
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a directory");
        }
        DurableFiles.write(file, Json.write(content()));
    }

    private Map<String, Object> content() {
        Map<String, Object> content = new LinkedHashMap<>();
        if (time != null) {
            content.put("time", time.toString());
        }
        content.put("verdict", verdict);
        content.put("text", text);
        if (snapshot != null) {
            content.put("snapshot", snapshot);
        }
        return content;
    }

    /** Takes it away, since a full check has passed. */
    public static void clear(Path database) {
        clear(database, "is sound again: a full check has passed");
    }

    /**
     * Takes it away.
     *
     * @param why what is true of the database now, which is that a full check has passed or that it is another file
     */
    static void clear(Path database, String why) {
        Path file = beside(database);
        try {
            if (exists(database) && Files.deleteIfExists(file)) {
                DurableFiles.forceDirectoryOf(file);
                log.info("{} {}, so {} is removed", database, why, file.getFileName());
            }
        } catch (IOException ex) {
            log.warn("{} {}, but {} cannot be removed: {}", database, why, file, ex.toString());
        }
    }
}
