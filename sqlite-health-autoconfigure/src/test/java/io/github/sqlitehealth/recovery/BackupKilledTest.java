package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.fixture.Outside;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it takes backups, at any moment: what is there is whole, and what is half goes. */
class BackupKilledTest {

    private static final int TIMES = 24;

    @TempDir
    Path folder;

    @Test
    void whatCountsAsVerifiedIsSoAtWhateverMomentTheProcessDies() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 40_000);
        Random random = new Random(53);
        TreeSet<String> left = new TreeSet<>();
        for (int time = 0; time < TIMES; time++) {
            Process process = new ProcessBuilder(Outside.java(Taking.class, source))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader said = process.inputReader()) {
                if (time % 2 == 0) {
                    assertThat(said.lines().anyMatch(">"::equals)).isTrue();
                }
                LockSupport.parkNanos(random.nextLong(700_000_000L));
            } finally {
                process.destroyForcibly().onExit().join();
            }
            BackupDirectory directory = new BackupDirectory(BackupDirectory.beside(source), "app");
            List<Backup> backups = directory.list();
            assertThat(backups).allMatch(Backup::verified);
            for (Backup backup : backups) {
                assertThat(Outside.sqlite3(backup.file(), "PRAGMA integrity_check; SELECT count(*) FROM t"))
                        .isEqualTo("ok\n40000");
            }
            if (time > 0) {
                assertThat(backups).hasSizeBetween(1, 3);
            }
            unfinished(directory.path()).forEach(name -> left.add(name.replaceFirst(".*Z", "")));
        }
        assertThat(left).as("what the deaths have left").contains(".tmp");

        Backup last = new Taking(source).now();

        assertThat(unfinished(BackupDirectory.beside(source))).isEmpty();
        assertThat(new BackupDirectory(BackupDirectory.beside(source), "app").latestVerified())
                .contains(last);
        assertThat(Outside.sqlite3(source, "PRAGMA integrity_check; SELECT count(*) FROM t"))
                .isEqualTo("ok\n40000");
    }

    private static List<String> unfinished(Path directory) throws Exception {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !name.endsWith(".db") && !name.endsWith(".lock"))
                    .filter(name ->
                            !name.endsWith(".json") || !Files.exists(directory.resolve(name.replace(".json", ".db"))))
                    .toList();
        }
    }
}
