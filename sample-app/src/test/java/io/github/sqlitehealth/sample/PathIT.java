package io.github.sqlitehealth.sample;

import static io.github.sqlitehealth.sample.Benign.assertStaysHealthy;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases at unusual paths (the book's incident 35): no false alarm, and no blindness either. */
class PathIT {

    @TempDir
    Path folder;

    @Test
    void aNameWithCharactersThatUrisEscape() throws Throwable {
        Path database = folder.resolve("a folder/what? 100%20 #é.db");
        assertWatched(database.toString(), database);
    }

    @Test
    void aRelativePath() throws Throwable {
        assertWatched("./gateway.db", folder.resolve("gateway.db"));
    }

    @Test
    void aFolderThatIsASymbolicLink() throws Throwable {
        Path real = Files.createDirectory(folder.resolve("volume"));
        Files.createSymbolicLink(folder.resolve("data"), real);
        assertWatched("data/gateway.db", real.resolve("gateway.db"));
    }

    @Test
    void aFileThatIsASymbolicLink() throws Throwable {
        Path real = folder.resolve("real.db");
        Act.sqlite3(real, "vacuum");
        Files.createSymbolicLink(folder.resolve("link.db"), real);
        assertWatched("link.db", real);
    }

    @Test
    void aFolderOnAnOverlay() throws Throwable {
        try (Mounted layers = Mounted.tmpfs(folder.resolve("layers"));
                Mounted overlay = Mounted.overlay(layers.point())) {
            assertWatched(
                    overlay.point().resolve("gateway.db").toString(),
                    overlay.point().resolve("gateway.db"));
        }
    }

    private void assertWatched(String configured, Path real) throws Throwable {
        try (RunningGateway gateway = Benign.start(folder, configured)) {
            assertStaysHealthy(gateway, () -> gateway.post("at an unusual path"));
            assertThat(gateway.health().path("details").path("file").asString(""))
                    .isEqualTo(real.toRealPath().toString());

            Act.rm(real.resolveSibling(real.getFileName() + "-wal"));
            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            Evidence.assertNamed(gateway, "STRANDED", "DOWN");
        }
    }
}
