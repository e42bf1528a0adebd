package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Volume;
import io.github.sqlitehealth.witness.Circumstances;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiskSpaceTest {

    private static final long MB = 1 << 20;

    private final DiskSpace space = new DiskSpace();

    @ParameterizedTest(name = "{0} MB free of {1} MB with {2} MB of main and {3} MB of WAL: {4}")
    @CsvSource({
        // A big volume: 64 MB, or a copy of the database.
        "65, 100000, 1, 0, false",
        "63, 100000, 1, 0, true",
        "149, 100000, 100, 50, true",
        "151, 100000, 100, 50, false",
        // Less than one per cent of a huge volume is still a lot.
        "900, 10000000, 10, 0, false",
        // A small one that is meant to be small.
        "2, 8, 1, 0, false",
        "3, 30, 1, 0, false",
        "2, 30, 1, 0, true",
        "4, 8, 3, 2, true",
        "0, 3, 1, 0, true",
        // One that does not tell.
        "0, 0, 1, 0, false"
    })
    void table(long free, long total, long main, long wal, boolean low) {
        assertThat(look(free, total, main, wal) != null).isEqualTo(low);
    }

    @Test
    void aValueOnTheEdgeDoesNotComeAndGo() {
        assertThat(look(63, 1000, 1, 0)).isNotNull();
        assertThat(look(65, 1000, 1, 0)).isNotNull();
        assertThat(look(79, 1000, 1, 0)).isNotNull();
        assertThat(look(81, 1000, 1, 0)).isNull();
        assertThat(look(65, 1000, 1, 0)).isNull();
    }

    @Test
    void ofAnUnknownVolumeNothingIsClaimed() {
        assertThat(space.look(circumstances(null, 1, 0))).isNull();
    }

    @Test
    void theFigures() {
        assertThat(look(20, 400, 100, 1))
                .isEqualTo("20.0 MB of 400.0 MB are free on the volume of the database (/data), and at least 101.0 MB"
                        + " should be: a rescue copy or a VACUUM will not fit, and soon writes will fail");
    }

    private @Nullable String look(long free, long total, long main, long wal) {
        return space.look(circumstances(new Volume("ext4", "/data", free * MB, total * MB), main, wal));
    }

    private static Circumstances circumstances(@Nullable Volume volume, long main, long wal) {
        return new Circumstances(
                "3.53.4",
                Map.of(DatabaseFile.MAIN, facts("/a.db", main), DatabaseFile.WAL, facts("/a.db-wal", wal)),
                volume,
                null,
                List.of(),
                null,
                List.of());
    }

    private static FileFacts facts(String path, long megabytes) {
        return new FileFacts(Path.of(path), null, megabytes * MB, 1, Instant.EPOCH);
    }
}
