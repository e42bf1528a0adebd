package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Plain files stand for those of a database. */
@DisabledOnOs(OS.WINDOWS)
class DatabaseStatsTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @TempDir
    Path folder;

    private Path main;
    private DatabaseStats stats;
    private long now;

    @BeforeEach
    void files() throws Exception {
        main = Files.writeString(folder.resolve("app.db"), "main");
        Files.writeString(folder.resolve("app.db-wal"), "wal");
        Files.writeString(folder.resolve("app.db-shm"), "shm");
        stats = new DatabaseStats(main);
    }

    @Test
    void whereNothingCameOrWentTheSameIsSaid() throws Exception {
        Map<DatabaseFile, FileFacts> settled = settle();
        assertThat(look()).isSameAs(settled);
    }

    @Test
    void whereNothingCameOrWentOnlyTheShmIsAsked() throws Exception {
        Map<DatabaseFile, FileFacts> settled = settle();
        Files.writeString(folder.resolve("app.db-wal"), "a longer wal");
        assertThat(look()).isSameAs(settled);
    }

    @Test
    void sizesAreAskedEveryTenSeconds() throws Exception {
        settle();
        Files.writeString(folder.resolve("app.db-wal"), "a longer wal");
        for (int i = 0; i < 10; i++) {
            look();
        }
        assertThat(size(DatabaseFile.WAL)).isEqualTo(12);
    }

    @Test
    void aShmCutShortInPlaceIsSeenAtOnce() throws Exception {
        settle();
        try (RandomAccessFile shm =
                new RandomAccessFile(folder.resolve("app.db-shm").toFile(), "rw")) {
            shm.setLength(1);
        }
        assertThat(size(DatabaseFile.SHM)).isEqualTo(1);
    }

    @Test
    void aFileThatIsGoneIsSeenAtOnce() throws Exception {
        settle();
        Files.delete(folder.resolve("app.db-wal"));
        assertThat(look()).doesNotContainKey(DatabaseFile.WAL);
    }

    @Test
    void aFileThatIsReplacedIsSeenAtOnceThoughTheTimeOfTheDirectoryIsPutBack() throws Exception {
        FileId before = settle().get(DatabaseFile.MAIN).id();
        FileTime modified = Files.getLastModifiedTime(folder);
        Path other = Files.writeString(folder.resolve("backup"), "main");
        Files.move(other, main, StandardCopyOption.ATOMIC_MOVE);
        Files.setLastModifiedTime(folder, modified);
        assertThat(look().get(DatabaseFile.MAIN).id()).isNotEqualTo(before);
    }

    @Test
    void aDirectoryThatIsReplacedIsSeenAtOnce() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("data"));
        main = Files.writeString(directory.resolve("app.db"), "main");
        stats = new DatabaseStats(main);
        FileId before = settle().get(DatabaseFile.MAIN).id();
        Files.move(directory, folder.resolve("old"));
        Files.createDirectory(directory);
        Files.writeString(main, "another");
        assertThat(look().get(DatabaseFile.MAIN).id()).isNotEqualTo(before);
    }

    @Test
    void aSecondChangeAtTheSameTimeOfACoarseClockIsSeen() throws Exception {
        FileTime change = FileTime.fromMillis(0);
        stats.look(change, now);
        Files.delete(folder.resolve("app.db-wal"));
        now += 2 * SECOND;
        assertThat(stats.look(change, now)).doesNotContainKey(DatabaseFile.WAL);
    }

    @Test
    void whereTheSystemTellsNoTimeAllIsAsked() throws Exception {
        for (int i = 0; i < 8; i++) {
            stats.look(null, now += SECOND);
        }
        Files.delete(folder.resolve("app.db-wal"));
        assertThat(stats.look(null, now += SECOND)).doesNotContainKey(DatabaseFile.WAL);
    }

    private Map<DatabaseFile, FileFacts> settle() throws Exception {
        for (int i = 0; i < 4; i++) {
            look();
        }
        return look();
    }

    private Map<DatabaseFile, FileFacts> look() throws Exception {
        now += SECOND;
        return stats.look(change(), now);
    }

    private long size(DatabaseFile file) throws Exception {
        return look().get(file).size();
    }

    private @Nullable FileTime change() {
        return new DirectoryChange(main.getParent()).in(0);
    }
}
