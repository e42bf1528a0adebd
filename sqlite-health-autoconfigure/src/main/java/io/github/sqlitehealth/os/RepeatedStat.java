package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one path again and again. While it is the same file this costs half of what {@link FileFacts#of} does. Not
 * thread-safe.
 */
final class RepeatedStat {

    private final Path path;
    private @Nullable FileFacts last;
    private @Nullable Object key;

    RepeatedStat(Path path) {
        this.path = path;
    }

    /**
     * What is at the path now. The number of links is that of the first look at the same file.
     *
     * @return {@code null} when there is no file; what was returned before when nothing has changed
     * @throws IOException when the system cannot tell
     */
    @Nullable
    FileFacts look() throws IOException {
        FileFacts before = last;
        // The path of an exception keeps its text for ever, so it is one to throw away.
        if (before == null && Files.notExists(path.resolveSibling(path.getFileName()))) {
            return null;
        }
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            Object nowKey = now.fileKey();
            last = before != null && nowKey != null && nowKey.equals(key) ? renewed(before, now) : FileFacts.of(path);
            key = nowKey;
        } catch (NoSuchFileException e) {
            last = null;
        }
        return last;
    }

    private static FileFacts renewed(FileFacts before, BasicFileAttributes now) {
        Instant modified = now.lastModifiedTime().toInstant();
        return before.size() == now.size() && before.modified().equals(modified)
                ? before
                : new FileFacts(before.path(), before.id(), now.size(), before.links(), modified);
    }
}
