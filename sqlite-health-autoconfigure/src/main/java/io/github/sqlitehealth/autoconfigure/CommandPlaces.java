package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.CommandLine.Wrong;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.BackupName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of a database are.
 *
 * @param main without symbolic links
 * @param forensics the directory of its evidence
 * @param name under which its backups are kept
 * @param shared whether others may keep theirs in the same directory
 */
record CommandPlaces(Path main, Path forensics, String name, BackupDirectory backups, boolean shared) {

    /** Somebody waits for the answer, and can press Ctrl-C. */
    static final Duration LIMIT = Duration.ofHours(6);

    /** What Boot calls the only DataSource of an application. */
    private static final String USUAL_NAME = "dataSource";

    /** Whether there is or was such a database: a name that was mistyped leaves nothing behind. */
    boolean known() throws IOException {
        if (Files.exists(forensics) || Files.exists(backups.path())) {
            return true;
        }
        String name = String.valueOf(main.getFileName());
        Path folder = main.resolveSibling(".");
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> found = Files.list(folder)) {
            return found.map(path -> String.valueOf(path.getFileName()))
                    .anyMatch(other -> other.equals(name)
                            || other.startsWith(name + "-")
                            || other.startsWith(name + ".corrupt")
                            || other.startsWith(name + ".restoring"));
        }
    }

    static CommandPlaces of(CommandLine line) throws Wrong {
        Path main = RealPath.of(Path.of(line.text("database")));
        Path forensics = line.path("forensics");
        Path given = line.path("backups");
        Path backups = given == null ? BackupDirectory.beside(main) : given;
        @Nullable String name = line.options().get("name");
        if (name == null) {
            name = BackupName.of(backups, main).orElse(USUAL_NAME);
        }
        return new CommandPlaces(
                main,
                forensics == null ? ForensicsDirectory.beside(main) : forensics,
                name,
                new BackupDirectory(backups, name),
                given != null);
    }
}
