package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.witness.Circumstances;
import io.github.sqlitehealth.witness.HandleFacts;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that looks like a WAL: a header, and frame headers with its salts up to where the last reset has come. */
class WalGrowthTest {

    private static final int MB = 1 << 20;
    private static final int PAGE = 65536;
    private static final int FRAME = PAGE + 24;

    @TempDir
    Path folder;

    private Path wal;
    private WalGrowth growth;
    private long autocheckpoint = 50; // pages, so 3.2 MB
    private Instant mainModified = Instant.EPOCH;
    private long mainSize = MB;

    @BeforeEach
    void growth() {
        wal = folder.resolve("a.db-wal");
        growth = new WalGrowth(folder.resolve("a.db"));
    }

    /** @param used how far the frames with these salts go */
    private @Nullable String look(int salt, long used, long size) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(wal.toFile(), "rw")) {
            file.setLength(size);
            file.seek(8);
            file.writeInt(PAGE);
            file.seek(16);
            file.writeInt(salt);
            file.writeInt(salt);
            for (long frame = 32; frame + FRAME <= used; frame += FRAME) {
                file.seek(frame + 8);
                file.writeInt(salt);
                file.writeInt(salt);
            }
        }
        FileFacts main = new FileFacts(Path.of("/a.db"), null, mainSize, 1, mainModified);
        FileFacts log = new FileFacts(wal, null, size, 1, Instant.EPOCH.plusSeconds(60));
        return growth.look(new Circumstances(
                "3.53.4",
                Map.of(DatabaseFile.MAIN, main, DatabaseFile.WAL, log),
                null,
                null,
                List.of(),
                new HandleFacts(1, 1, 1, 0, "wal", autocheckpoint, 1),
                List.of()));
    }

    @Test
    void largerThanTheDatabaseAndNotMergedAtTwoLooks() throws Exception {
        assertThat(look(1, 20 * MB, 20 * MB)).isNull();
        assertThat(look(1, 20 * MB, 20 * MB))
                .startsWith("the WAL has come to 20.0 MB, the database file has 1.0 MB, and it has not been reset");
    }

    @Test
    void growingAtTwoLooksThoughSomeOfItIsMerged() throws Exception {
        mainModified = Instant.EPOCH.plusSeconds(90);
        assertThat(look(1, 20 * MB, 20 * MB)).isNull();
        assertThat(look(1, 21 * MB, 21 * MB)).isNotNull();
        assertThat(look(1, 21 * MB, 21 * MB)).isNull();
    }

    @Test
    void oneBigTransactionThatWasMergedAtItsEnd() throws Exception {
        mainModified = Instant.EPOCH.plusSeconds(90);
        look(1, 40 * MB, 40 * MB);
        assertThat(look(1, 40 * MB, 40 * MB)).isNull();
    }

    @Test
    void resetBetweenTheLooks() throws Exception {
        look(1, 20 * MB, 20 * MB);
        assertThat(look(2, 20 * MB, 20 * MB)).isNull();
        assertThat(look(3, 22 * MB, 22 * MB)).isNull();
    }

    @Test
    void largeFileThatBeginsAgainFromTheFront() throws Exception {
        look(1, 40 * MB, 40 * MB);
        assertThat(look(2, MB, 40 * MB)).isNull();
        assertThat(look(2, MB, 40 * MB)).isNull();
        assertThat(look(2, 2 * MB, 40 * MB)).isNull();
    }

    @Test
    void smallOneThatGrows() throws Exception {
        for (int size = 1; size <= 16; size++) {
            assertThat(look(1, size * MB, size * MB)).isNull();
        }
    }

    @Test
    void smallerThanTheDatabase() throws Exception {
        mainSize = 100 * MB;
        look(1, 50 * MB, 50 * MB);
        assertThat(look(1, 60 * MB, 60 * MB)).isNull();
    }

    @Test
    void withinWhatItsCheckpointsLeave() throws Exception {
        autocheckpoint = 1000; // 64 MB with these pages
        look(1, 50 * MB, 50 * MB);
        assertThat(look(1, 60 * MB, 60 * MB)).isNull();
        autocheckpoint = 0;
        look(1, 50 * MB, 50 * MB);
        assertThat(look(1, 60 * MB, 60 * MB)).isNull();
        look(1, 70 * MB, 70 * MB);
        assertThat(look(1, 71 * MB, 71 * MB)).isNotNull();
    }
}
