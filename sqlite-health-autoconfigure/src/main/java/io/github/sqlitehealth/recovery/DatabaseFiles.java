package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.util.List;

/** The names beside a main file that belong to it: in WAL mode, and in the modes with a rollback journal. */
final class DatabaseFiles {

    /** Of the sidecars. */
    static final List<String> SIDECARS = List.of("-wal", "-shm", "-journal");

    /** Of all files, the main one last. */
    static final List<String> ALL = List.of("-wal", "-shm", "-journal", "");

    private DatabaseFiles() {}

    static Path beside(Path main, String suffix) {
        return main.resolveSibling(main.getFileName() + suffix);
    }

    /** Whether nothing of its content is in another file. */
    static boolean wholeByItself(Path main) {
        return beside(main, "-wal").toFile().length() == 0
                && beside(main, "-journal").toFile().length() == 0;
    }
}
