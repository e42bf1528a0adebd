package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.FilePart;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.Volumes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Incident 21 on real files with real processes: each hazard appears by its name and goes, and the status stays. */
@Timeout(120)
class HazardIncidentsTest {

    @TempDir
    Path temporary;

    private Path folder;
    private Path file;

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
        file = folder.resolve("my é #1.db");
    }

    @Test
    void hardLink() throws Exception {
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"))) {
            Path second = Files.createLink(folder.resolve("copy.db"), folder.resolve("app.db"));
            assertThat(rig.appears(HazardKind.HARD_LINK)).contains("has 2 names");
            Files.createLink(folder.resolve("third.db"), folder.resolve("app.db"));
            rig.staysWithoutAnotherLine(HazardKind.HARD_LINK);
            Files.delete(second);
            Files.delete(folder.resolve("third.db"));
            rig.goes(HazardKind.HARD_LINK);
        }
    }

    @Test
    void rescueCopiesThatNobodyHasLookedAfter() throws Exception {
        Path app = folder.resolve("app.db");
        Path copy = Path.of(app + "-forensics").resolve("rescue-20261130T120000.000Z.db");
        Files.createDirectory(copy.getParent());
        Outside.sqlite3(copy, "CREATE TABLE t(x)");
        try (HazardRig rig = new HazardRig(app)) {
            assertThat(rig.appears(HazardKind.RESCUE_COPIES))
                    .contains("1 rescue copy", copy.getParent().toString());
            rig.staysWithoutAnotherLine(HazardKind.RESCUE_COPIES);
            Files.delete(copy);
            rig.goes(HazardKind.RESCUE_COPIES);
        }
    }

    @Test
    void hardLinkThatIsThereAtTheStart() throws Exception {
        Path app = folder.resolve("app.db");
        try (HazardRig first = new HazardRig(app)) {
            first.noHazards();
        }
        Files.createLink(folder.resolve("copy.db"), app);
        try (HazardRig rig = new HazardRig(app)) {
            rig.appears(HazardKind.HARD_LINK);
        }
    }

    @Test
    void fuseMount() throws Exception {
        Path source = Files.createDirectory(folder.resolve("source"));
        try (Mounted mounted = Mounted.fuse(source, folder.resolve("point"));
                HazardRig rig = new HazardRig(mounted.point().resolve("app.db"))) {
            assertThat(rig.appears(HazardKind.NETWORK_MOUNT))
                    .contains("lies on fuse")
                    .contains("mounted at " + mounted.point());
        }
    }

    /** This kernel has no NFS, 9p or virtiofs: the table of mounts is one as such a system writes it. */
    @ParameterizedTest
    @CsvSource({
        "nfs4, fileserver:/export",
        "9p, host0",
        "virtiofs, shared",
        "cifs, //server/share",
        "fuse.sshfs, user@host:/data"
    })
    void networkMount(String type, String source) throws Exception {
        Path self = Files.createDirectories(folder.resolve("proc/self"));
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.volumes = new Volumes(folder.resolve("proc"));
        Path data = Files.createDirectory(folder.resolve("data"));
        String root = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard";
        Files.write(self.resolve("mountinfo"), List.of(root));
        try (HazardRig rig = new HazardRig(data.resolve("app.db"), setup)) {
            rig.noHazards();
            String mount = "61 27 0:52 / " + data + " rw,relatime shared:31 - " + type + " " + source + " rw,vers=4.2";
            Files.write(self.resolve("mountinfo"), List.of(root, mount));
            assertThat(rig.appears(HazardKind.NETWORK_MOUNT)).contains("lies on " + type + ", mounted at " + data);
            Files.write(self.resolve("mountinfo"), List.of(root));
            rig.goes(HazardKind.NETWORK_MOUNT);
        }
    }

    @Test
    void walResetBugOfTheSqliteOfBoot40() throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.sqliteVersion = "3.50.3";
        try (HazardRig rig = new HazardRig(file, setup)) {
            assertThat(rig.appears(HazardKind.WAL_RESET_BUG)).contains("SQLite 3.50.3 has the WAL-reset bug");
        }
    }

    @Test
    void withoutWalTheWalResetBugIsNoHazard() throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.sqliteVersion = "3.50.3";
        setup.url = "?journal_mode=DELETE";
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"), setup)) {
            rig.noHazards();
        }
    }

    @Test
    void synchronousOff() throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.url = "?journal_mode=WAL&synchronous=OFF";
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"), setup)) {
            assertThat(rig.appears(HazardKind.SYNCHRONOUS_OFF)).contains("PRAGMA synchronous = 0 (OFF)");
        }
    }

    /** A bulk import that forgot to put it back. */
    @Test
    void synchronousOffOnOneConnectionOfThePool() throws Exception {
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"))) {
            rig.noHazards();
            rig.execute("PRAGMA synchronous=OFF");
            rig.appears(HazardKind.SYNCHRONOUS_OFF);
            rig.staysWithoutAnotherLine(HazardKind.SYNCHRONOUS_OFF);
        }
    }

    /** A check may be far off. */
    @Test
    void whatIsSetBetweenTwoChecksIsFoundInTheNextMinute() throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.quickInterval = Duration.ofHours(1);
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"), setup)) {
            rig.noHazards();
            rig.execute("PRAGMA synchronous=OFF");
            rig.appears(HazardKind.SYNCHRONOUS_OFF);
            rig.execute("PRAGMA synchronous=NORMAL");
            rig.goes(HazardKind.SYNCHRONOUS_OFF);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MEMORY", "OFF"})
    void unsafeJournal(String mode) throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.url = "?journal_mode=" + mode + "&busy_timeout=5000";
        try (HazardRig rig = new HazardRig(folder.resolve("app.db"), setup)) {
            assertThat(rig.appears(HazardKind.UNSAFE_JOURNAL)).contains("journal_mode = " + mode);
        }
    }

    @Test
    void walThatAReaderPins() throws Exception {
        Path app = folder.resolve("app.db");
        try (HazardRig rig = new HazardRig(app);
                Connection reader = DriverManager.getConnection("jdbc:sqlite:" + app);
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM t")) {
                assertThat(rows.next()).isTrue();
            }
            for (int i = 0; i < 20; i++) {
                rig.execute("INSERT INTO t VALUES (zeroblob(1 << 20))");
            }
            assertThat(rig.appears(HazardKind.WAL_GROWING))
                    .containsPattern("come to 2\\d\\.\\d MB, the database file has \\d")
                    .contains("not been reset");
            rig.execute("INSERT INTO t VALUES (zeroblob(1 << 20))");
            rig.staysWithoutAnotherLine(HazardKind.WAL_GROWING);
            reader.rollback();
            rig.execute("INSERT INTO t VALUES (zeroblob(5 << 20))");
            rig.goes(HazardKind.WAL_GROWING);
        }
    }

    /** The file keeps its size after a big transaction, and what is written since is at its front. */
    @Test
    void walThatWasLargeOnceIsNoHazard() throws Exception {
        Path app = folder.resolve("app.db");
        try (Connection before = DriverManager.getConnection("jdbc:sqlite:" + app + "?journal_mode=WAL");
                Statement statement = before.createStatement()) {
            statement.execute("CREATE TABLE t(x)");
            statement.execute("INSERT INTO t VALUES (zeroblob(40 << 20))");
            statement.execute("DELETE FROM t");
            statement.execute("VACUUM");
            statement.execute("PRAGMA wal_checkpoint");
            try (HazardRig rig = new HazardRig(app)) {
                assertThat(Files.size(folder.resolve("app.db-wal"))).isGreaterThan(40 << 20);
                assertThat(Files.size(app)).isLessThan(1 << 20);
                rig.noHazards();
            }
        }
    }

    @Test
    void diskFilledByOthers() throws Exception {
        try (Mounted mounted = Mounted.tmpfs(folder.resolve("small"), "8m");
                HazardRig rig = new HazardRig(mounted.point().resolve("app.db"))) {
            rig.noHazards();
            Path filler = mounted.point().resolve("filler");
            OutsideShell.code("dd", "if=/dev/zero", "of=" + filler, "bs=64k", "count=115");
            assertThat(rig.appears(HazardKind.DISK_SPACE))
                    .containsPattern("\\d+\\.\\d KB of 8\\.0 MB are free")
                    .contains(mounted.point().toString())
                    .contains("at least 819.2 KB should be");
            Files.delete(filler);
            rig.goes(HazardKind.DISK_SPACE);
        }
    }

    @Test
    void syncedFolder() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("shared/data"));
        try (HazardRig rig = new HazardRig(deep.resolve("app.db"))) {
            rig.noHazards();
            Path marker = Files.createDirectory(folder.resolve("shared/.stfolder"));
            assertThat(rig.appears(HazardKind.SYNCED_FOLDER)).contains("a folder of Syncthing (" + marker + ")");
            Files.delete(marker);
            rig.goes(HazardKind.SYNCED_FOLDER);
        }
    }

    @Test
    void foreignHolder() throws Exception {
        try (HazardRig rig = new HazardRig(file)) {
            long pid;
            try (OutsideShell session = new OutsideShell(file, "SELECT count(*) FROM t;")) {
                pid = session.pid();
                assertThat(rig.appears(HazardKind.FOREIGN_HOLDER))
                        .contains("process " + pid + " (sqlite3) holds main, shm, wal");
                // Another one takes over before the first goes: a changed text is no new hazard.
                try (OutsideShell second = new OutsideShell(file, "SELECT count(*) FROM t;")) {
                    await().until(() ->
                            rig.appears(HazardKind.FOREIGN_HOLDER).contains("process " + second.pid() + " "));
                    session.kill();
                    rig.staysWithoutAnotherLine(HazardKind.FOREIGN_HOLDER);
                    assertThat(rig.appears(HazardKind.FOREIGN_HOLDER))
                            .contains("process " + second.pid() + " ")
                            .doesNotContain("process " + pid + " ");
                }
            }
            rig.goes(HazardKind.FOREIGN_HOLDER);
        }
    }

    @Test
    void foreignProcessWithStaleFiles() throws Exception {
        try (OutsideShell session = new OutsideShell(
                file, "PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1); SELECT * FROM t;")) {
            OutsideShell.run("rm", file + "-wal", file + "-shm");
            try (HazardRig rig = new HazardRig(file)) {
                assertThat(rig.appears(HazardKind.FOREIGN_STALE_HOLDER))
                        .containsPattern(
                                "process " + session.pid() + " \\(sqlite3\\) holds shm inode \\d+, wal inode \\d+")
                        .contains("it will corrupt the database");
                assertThat(rig.appears(HazardKind.FOREIGN_HOLDER)).contains("(sqlite3) holds main, besides");
                session.kill();
                rig.goes(HazardKind.FOREIGN_STALE_HOLDER);
                rig.goes(HazardKind.FOREIGN_HOLDER);
            }
        }
    }

    /** The child process that copies a part of a database without WAL; it waits until somebody reads what it writes. */
    @Test
    void aBackupOfOurOwnIsNoForeignHolder() throws Exception {
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.url = "?journal_mode=DELETE";
        Path app = folder.resolve("rollback.db");
        Path pipe = folder.resolve("pipe");
        OutsideShell.run("mkfifo", pipe.toString());
        try (HazardRig rig = new HazardRig(app, setup)) {
            FutureTask<Void> copying = new FutureTask<>(() -> {
                FilePart.copy(app, pipe, 0, 1, Duration.ofMinutes(1));
                return null;
            });
            new Thread(copying, "backup").start();
            await().until(() -> isCopied(app));
            rig.noHazards();
            assertThat(isCopied(app)).isTrue();
            assertThat(Files.readAllBytes(pipe)).isNotEmpty();
            copying.get();
        }
    }

    private static boolean isCopied(Path file) throws IOException {
        return new Holders()
                .find(file, Map.of(), Duration.ofSeconds(20)).holders().stream()
                        .anyMatch(holder -> holder.command().equals("dd"));
    }

    @Test
    void overlayWithRoomAndAPathThroughALink() throws Exception {
        try (Mounted tmpfs = Mounted.tmpfs(folder.resolve("layers"), "64m");
                Mounted overlay = Mounted.overlay(tmpfs.point())) {
            Path link = Files.createSymbolicLink(folder.resolve("link"), overlay.point());
            try (HazardRig rig = new HazardRig(link.resolve("app.db"))) {
                rig.noHazards();
            }
        }
    }

    @Test
    void ordinaryDatabases() throws Exception {
        try (HazardRig rig = new HazardRig(file)) {
            rig.noHazards();
        }
        HazardRig.Setup setup = new HazardRig.Setup();
        setup.url = "?journal_mode=DELETE";
        try (HazardRig rig = new HazardRig(folder.resolve("rollback.db"), setup)) {
            rig.noHazards();
        }
    }
}
