package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A path with all links followed, as SQLite and the system's own texts name it, also when the file itself is gone. */
public final class RealPath {

    private static final int MOST_LINKS = 40;

    private RealPath() {}

    /** Follows the links as far as there is something at their end. */
    public static Path of(Path path) {
        return of(path.toAbsolutePath(), MOST_LINKS);
    }

    private static Path of(Path path, int linksLeft) {
        Path parent = path.getParent();
        Path name = path.getFileName();
        try {
            return path.toRealPath();
        } catch (IOException e) {
            if (parent == null || name == null) {
                return path;
            }
        }
        if (linksLeft > 0 && Files.isSymbolicLink(path)) {
            try {
                return of(parent.resolve(Files.readSymbolicLink(path)), linksLeft - 1);
            } catch (IOException e) {
                // The link was removed between the two looks: then it is a name like any other.
            }
        }
        return of(parent, linksLeft).resolve(name);
    }
}
