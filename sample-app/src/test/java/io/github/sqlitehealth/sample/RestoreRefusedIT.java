package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.sample.RunningGateway.Refused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restore that cannot be done fails the start of the application with one clear line, and changes nothing on disk. */
class RestoreRefusedIT {

    @TempDir
    Path folder;

    @Test
    void tooLittleRoomOnTheDisk() throws Exception {
        try (Mounted disk = Mounted.tmpfs(folder.resolve("disk"))) {
            Path database = damaged(disk.point(), 70_000);
            refused(database, "there is too little room in " + disk.point() + ": the copy needs ", " are free");
        }
    }

    @Test
    void aCopyThatThisUserMayNotRead() throws Exception {
        Path database = damaged(Files.createDirectory(folder.resolve("data")), 100);
        Act.chmod("000", folder.resolve("copy.db"));
        refused(database, folder.resolve("copy.db") + " cannot be read by this user");
    }

    /** A sound copy is in the folder of the test. */
    private Path damaged(Path directory, int rows) throws Exception {
        Path database = directory.resolve("gateway.db");
        Act.sqlite3(
                database,
                "CREATE TABLE messages(id INTEGER PRIMARY KEY, body TEXT);"
                        + " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + rows + ")"
                        + " INSERT INTO messages(body) SELECT hex(randomblob(250)) FROM n;"
                        + " PRAGMA journal_mode=wal");
        Act.sqlite3(database, ".backup '" + folder.resolve("copy.db") + "'");
        Act.dd(database, 5 * 4096, 4096, Act.Filler.RANDOM);
        return database;
    }

    private void refused(Path database, String... why) throws IOException, InterruptedException {
        List<String> before = listing(database.getParent());
        Refused start = RunningGateway.refused(
                folder, database.toString(), "--sqlite.health.recovery.restore-from=" + folder.resolve("copy.db"));
        assertThat(start.code()).as(start.log()).isEqualTo(1);
        assertThat(start.log()).contains("APPLICATION FAILED TO START").doesNotContain("\tat ");
        assertThat(start.log().lines().filter(line -> line.startsWith("The database ")))
                .singleElement()
                .asString()
                .contains("\"dataSource\" is left as it is: ")
                .contains(why);
        assertThat(listing(database.getParent())).isEqualTo(before);
    }

    private static List<String> listing(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted()
                    .map(file -> file + " " + file.toFile().lastModified() + " " + Arrays.hashCode(content(file)))
                    .toList();
        }
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
