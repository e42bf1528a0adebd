package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Hazard;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.HeldFile;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.PosixLock;
import io.github.sqlitehealth.os.Volume;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each rule alone: what it claims, and that it claims nothing on what is not known. */
class HazardsTest {

    private static final HandleFacts SAFE = handle("wal", 1);
    private static final Volume DISK = new Volume("ext4", "/", 1L << 40, 1L << 41);

    private String version = "3.53.4";
    private long links = 1;
    private boolean wal = true;

    @Nullable
    private Volume volume = DISK;

    @Nullable
    private String syncedBy;

    private List<String> libraries = List.of("/tmp/a-libsqlitejdbc.so");

    @Nullable
    private HandleFacts live = SAFE;

    private List<Holder> foreign = List.of();

    private static HandleFacts handle(String journalMode, long synchronous) {
        return new HandleFacts(1, 1, 1, 0, journalMode, 1000, synchronous);
    }

    private List<Hazard> hazards() {
        FileFacts main = new FileFacts(Path.of("/a.db"), new FileId(1, 2), 4096, links, Instant.EPOCH);
        FileFacts log = new FileFacts(Path.of("/a.db-wal"), new FileId(1, 3), 0, 1, Instant.EPOCH);
        return Hazards.of(new Circumstances(
                version,
                wal ? Map.of(DatabaseFile.MAIN, main, DatabaseFile.WAL, log) : Map.of(DatabaseFile.MAIN, main),
                volume,
                syncedBy,
                libraries,
                live,
                foreign));
    }

    private List<String> names() {
        return hazards().stream().map(Hazard::name).toList();
    }

    @Test
    void anOrdinaryDatabaseHasNone() {
        assertThat(hazards()).isEmpty();
    }

    @Test
    void nothingIsClaimedOnWhatIsNotKnown() {
        assertThat(Hazards.of(new Circumstances("", Map.of(), null, null, List.of(), null, List.of())))
                .isEmpty();
    }

    @Test
    void hardLink() {
        links = 2;
        assertThat(names()).containsExactly("hard-link");
    }

    @Test
    void networkMount() {
        volume = new Volume("nfs4", "/data", 1, 2);
        assertThat(hazards()).singleElement().satisfies(hazard -> {
            assertThat(hazard.name()).isEqualTo("network-mount");
            assertThat(hazard.text())
                    .contains("lies on nfs4, mounted at /data:")
                    .endsWith("to a local disk");
        });
    }

    @Test
    void twoLibraries() {
        libraries = List.of("/tmp/a-libsqlitejdbc.so", "/usr/lib/libsqlite3.so.0.8.6");
        assertThat(hazards()).singleElement().satisfies(hazard -> {
            assertThat(hazard.name()).isEqualTo("two-sqlite-libraries");
            assertThat(hazard.text()).contains("/tmp/a-libsqlitejdbc.so, /usr/lib/libsqlite3.so.0.8.6");
        });
    }

    @Test
    void walResetBugOnlyWithWal() {
        version = "3.51.2";
        assertThat(names()).containsExactly("wal-reset-bug");
        wal = false;
        assertThat(names()).containsExactly("wal-reset-bug");
        live = handle("delete", 1);
        assertThat(names()).isEmpty();
    }

    @Test
    void synchronousOff() {
        live = handle("wal", 0);
        assertThat(names()).containsExactly("synchronous-off");
    }

    @Test
    void unsafeJournal() {
        for (String mode : List.of("off", "memory", "MEMORY")) {
            live = handle(mode, 2);
            assertThat(names()).containsExactly("unsafe-journal");
        }
        for (String mode : List.of("delete", "truncate", "persist")) {
            live = handle(mode, 2);
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void syncedFolder() {
        syncedBy = "Dropbox (/home/u/Dropbox)";
        assertThat(names()).containsExactly("synced-folder");
    }

    @Test
    void foreignHoldersStaleOrNot() {
        foreign = List.of(holder(7, new HeldFile(3, "main", 2, false, false, List.of())));
        assertThat(hazards()).singleElement().satisfies(hazard -> {
            assertThat(hazard.name()).isEqualTo("foreign-holder");
            assertThat(hazard.text()).startsWith("process 7 (sqlite3) holds main, besides this process");
        });
        foreign = List.of(holder(7, new HeldFile(4, "wal", -1, true, true, List.of())));
        assertThat(hazards()).singleElement().satisfies(hazard -> {
            assertThat(hazard.name()).isEqualTo("foreign-stale-holder");
            assertThat(hazard.text()).startsWith("process 7 (sqlite3) holds wal inode 18446744073709551615, though");
        });
    }

    @Test
    void ofManyHoldersSomeAreNamed() {
        HeldFile main = new HeldFile(3, "main", 2, false, false, List.of());
        foreign = List.of(
                holder(1, main), holder(2, main), holder(3, main), holder(4, main), holder(5, main), holder(6, main));
        assertThat(hazards())
                .singleElement()
                .satisfies(hazard -> assertThat(hazard.text())
                        .contains("process 5 (sqlite3) holds main; and 1 more hold files of it")
                        .doesNotContain("process 6"));
    }

    /** A connection that is just being closed holds a file without a name for an instant. */
    @Test
    void onlyWhatWasSeenTwiceCounts() {
        Path file = Path.of("/a.db");
        HeldFile main = new HeldFile(3, "main", 2, false, false, List.of());
        HeldFile stale = new HeldFile(4, "wal", 3, true, true, List.of());
        Map<Path, List<Holder>> first = Map.of(file, List.of(holder(7, main, stale), holder(8, main)));
        Map<Path, List<Holder>> second = Map.of(file, List.of(holder(7, main), holder(9, main)));
        assertThat(ForeignHolders.both(first, second)).containsOnly(Map.entry(file, List.of(holder(7, main))));
    }

    @Test
    void locksThatComeAndGoMakeNoOtherHolder() {
        Path file = Path.of("/a.db");
        HeldFile before = new HeldFile(3, "main", 2, false, false, List.of());
        HeldFile after = new HeldFile(3, "main", 2, false, false, List.of(new PosixLock("READ", 1, 2)));
        assertThat(ForeignHolders.both(
                        Map.of(file, List.of(holder(7, before))), Map.of(file, List.of(holder(7, after)))))
                .containsOnly(Map.entry(file, List.of(holder(7, after))));
    }

    private static Holder holder(long pid, HeldFile... files) {
        return new Holder(pid, "sqlite3", "root", null, false, List.of(files));
    }
}
