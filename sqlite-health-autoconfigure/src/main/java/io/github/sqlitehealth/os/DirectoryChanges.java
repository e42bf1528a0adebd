package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When an entry last came into a directory or went out of it, asked once in a round for all databases that lie in it. This
 * is the time that nobody can set: whoever restores a backup may set the time of modification to what it was before. Not
 * thread-safe.
 */
public final class DirectoryChanges {

    private final Map<Path, @Nullable FileTime> asked = new HashMap<>();

    /** The time of the last change; {@code null} when the system does not tell. */
    public @Nullable FileTime of(@Nullable Path directory) {
        if (directory == null) {
            return null;
        }
        if (asked.containsKey(directory)) {
            return asked.get(directory);
        }
        FileTime changed = ask(directory);
        asked.put(directory, changed);
        return changed;
    }

    private static @Nullable FileTime ask(Path directory) {
        try {
            return Files.readAttributes(directory, "unix:ctime").get("ctime") instanceof FileTime time ? time : null;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException ex) {
            return null;
        }
    }
}
