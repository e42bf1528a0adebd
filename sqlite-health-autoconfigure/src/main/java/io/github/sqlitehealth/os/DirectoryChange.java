package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * When an entry last came into a directory or went out of it, asked once a round for all databases that lie in it. This
 * is the time that nobody can set: whoever restores a backup may set the time of modification to what it was before. Not
 * thread-safe.
 */
public final class DirectoryChange {

    private final Path directory;
    private long round = -1;
    private @Nullable FileTime last;

    public DirectoryChange(Path directory) {
        this.directory = directory;
    }

    /**
     * The time of the last change; {@code null} when the system does not tell.
     *
     * @param round who asks in the same one gets the same answer; not negative
     */
    public @Nullable FileTime in(long round) {
        if (round != this.round) {
            last = ask();
            this.round = round;
        }
        return last;
    }

    private @Nullable FileTime ask() {
        try {
            return Files.readAttributes(directory, "unix:ctime").get("ctime") instanceof FileTime time ? time : null;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException ex) {
            return null;
        }
    }
}
