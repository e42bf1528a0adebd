package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one path again and again. While it is the same file this costs half of what {@link FileFacts#of} does, and a
 * file that is not there costs no exception: with a thousand databases that is what a look is made of. Not thread-safe.
 */
public final class RepeatedStat {

    private final Path path;
    private @Nullable FileFacts last;
    private @Nullable Object key;

    public RepeatedStat(Path path) {
        this.path = path;
    }

    /**
     * What is at the path now. The number of links is that of the first look at the same file.
     *
     * @return {@code null} when there is no file
     * @throws IOException when the system cannot tell
     */
    public @Nullable FileFacts look() throws IOException {
        FileFacts before = last;
        if (before == null && Files.notExists(path)) {
            return null;
        }
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            Object nowKey = now.fileKey();
            last = before != null && nowKey != null && nowKey.equals(key)
                    ? new FileFacts(
                            path,
                            before.id(),
                            now.size(),
                            before.links(),
                            now.lastModifiedTime().toInstant())
                    : FileFacts.of(path);
            key = nowKey;
        } catch (NoSuchFileException e) {
            last = null;
        }
        return last;
    }
}
