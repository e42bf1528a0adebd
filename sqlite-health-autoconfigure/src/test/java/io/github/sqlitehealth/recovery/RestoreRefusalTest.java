package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Incident 54: each refusal is one clear line, and nothing has been changed on disk. */
class RestoreRefusalTest {

    @TempDir
    Path folder;

    private Scene scene;

    @BeforeEach
    void damage() throws Exception {
        scene = Scene.damaged(folder.resolve("data"));
    }

    @Test
    void whatIsNoDatabase() throws Exception {
        Path text = Files.writeString(scene.folder.resolve("text.db"), "no database ".repeat(500));
        refused(scene.request(text), text + " is damaged or no database");
        Path empty = Files.createFile(scene.folder.resolve("empty.db"));
        refused(scene.request(empty), empty + " is empty");
    }

    @Test
    void whatIsTruncatedOrDamaged() throws Exception {
        Path cut = Files.copy(scene.backup, scene.folder.resolve("cut.db"));
        Outside.sh("truncate -s 100000 \"$1\"", cut);
        refused(scene.request(cut), cut + " is damaged");
        Path damaged = Files.copy(scene.backup, scene.folder.resolve("damaged.db"));
        Outside.overwrite(damaged, 7);
        refused(scene.request(damaged), damaged + " is damaged");
    }

    @Test
    void whatBelongsToAnotherApplication() throws Exception {
        Outside.sqlite3(scene.backup, "PRAGMA application_id=78");
        refused(scene.request(), scene.backup + " belongs to another application", "78", "77");
    }

    @Test
    void whatBelongsToAnotherApplicationThanTheOtherBackups() throws Exception {
        Outside.overwrite(scene.database, 1);
        RestoreRequest plain = scene.request();
        RestoreDemands demands = new RestoreDemands(plain.demands().rules(), null, 1234L);
        refused(
                new RestoreRequest(
                        scene.database,
                        scene.forensics,
                        scene.backup,
                        plain.asked(),
                        false,
                        false,
                        false,
                        5,
                        demands,
                        plain.checkLimit()),
                scene.backup + " belongs to another application",
                "1234");
    }

    @Test
    void whatIsNewerThanTheApplication() throws Exception {
        refused(scene.demanding(scene.backup, 4L, Map.of()), scene.backup + " is newer than the application", "5", "4");
        Outside.sqlite3(scene.backup, "PRAGMA user_version=6");
        refused(scene.request(), scene.backup + " is newer than the application", "6", "that of the database");
    }

    @Test
    void whatDoesNotHoldWhatMustBeThere() throws Exception {
        refused(
                scene.demanding(scene.backup, null, Map.of("t", 301L)),
                "does not hold what must be there: 301 rows in t");
        refused(
                scene.demanding(scene.backup, null, Map.of(), "other"),
                "does not hold what must be there: table other");
    }

    @Test
    void aDirectoryAndWhatIsNotThere() throws Exception {
        refused(scene.request(scene.backup.getParent()), scene.backup.getParent() + " is a directory");
        refused(scene.request(folder.resolve("none.db")), folder.resolve("none.db") + " does not exist");
        Path pipe = scene.folder.resolve("pipe");
        Outside.run("mkfifo", pipe.toString());
        refused(scene.request(pipe), pipe + " is no ordinary file");
    }

    @Test
    void aFileThatMayNotBeRead() throws Exception {
        Outside.need("setpriv");
        Outside.sh("chmod 000 \"$1\"", scene.backup);
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // Root without the right to read everything is a user like any other.
            command.addAll(List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search"));
        }
        command.addAll(RestoreChild.command(scene, "run", 0));
        String before = Scene.listing(scene.folder);
        String said = Outside.run(command.toArray(String[]::new));
        assertThat(said).contains(">refused " + scene.backup + " cannot be read by this user");
        assertThat(Scene.listing(scene.folder)).isEqualTo(before);
    }

    @Test
    void theDatabaseItselfUnderAnyName() throws Exception {
        refused(scene.request(scene.database), "is the database itself");
        Path link = Files.createSymbolicLink(scene.folder.resolve("link.db"), scene.database);
        refused(scene.request(link), link + " is the database itself");
        Path hard = Files.createLink(folder.resolve("hard.db"), scene.database);
        refused(scene.request(hard), hard + " is the database itself");
    }

    @Test
    void aCopyThatIsNotWholeByItself() throws Exception {
        Files.writeString(DatabaseFiles.beside(scene.backup, "-wal"), "frames");
        refused(scene.request(), "not whole by itself", "-wal");
        Files.move(DatabaseFiles.beside(scene.backup, "-wal"), DatabaseFiles.beside(scene.backup, "-journal"));
        refused(scene.request(), "not whole by itself", "-journal");
    }

    @Test
    void aDatabaseThatAnotherProcessIsWritingTo() throws Exception {
        try (Session session = new Session(scene.database, "BEGIN IMMEDIATE; INSERT INTO t(body) VALUES('x');")) {
            refused(scene.request(), "is held by process " + session.pid() + " (sqlite3)");
        }
    }

    @Test
    void aDatabaseThatAnotherProcessOnlyHasOpen() throws Exception {
        // In a mode without -wal an idle connection holds no lock.
        Scene idle = Scene.sound(folder.resolve("idle"));
        Outside.sqlite3(idle.database, "PRAGMA journal_mode=DELETE");
        Outside.overwrite(idle.database, 5);
        try (Session session = new Session(idle.database, "SELECT count(*) FROM sqlite_schema;")) {
            String before = Scene.listing(idle.folder);
            assertThat(message(idle.request())).contains("is held by process " + session.pid() + " (sqlite3)");
            assertThat(Scene.listing(idle.folder)).isEqualTo(before);
        }
        assertThat(Restore.run(idle.request()).outcome()).isEqualTo(Outcome.RESTORED);
    }

    @Test
    void aDatabaseThatIsGoneWhileAnotherProcessStillWritesIntoIt() throws Exception {
        try (Session session = new Session(scene.database, "SELECT count(*) FROM sqlite_schema;")) {
            for (String suffix : DatabaseFiles.ALL) {
                Files.deleteIfExists(scene.beside(suffix));
            }
            refused(scene.request(), "is held by process " + session.pid() + " (sqlite3)");
        }
    }

    @Test
    void aDatabaseThatIsLockedByWhomNobodySees() throws Exception {
        try (Session session = new Session(scene.database, "BEGIN IMMEDIATE;")) {
            assertThat(session.pid()).isPositive();
            RestoreRefusedException refused =
                    catchThrowableOfType(RestoreRefusedException.class, () -> SqliteLock.take(scene.database));
            assertThat(refused).hasMessageContaining("is locked by a connection of another process");
        }
        SqliteLock.take(scene.database).close();
    }

    @Test
    void whoeverComesDuringARestoreIsKeptOut() throws Exception {
        Outside.sqlite3(scene.database, "PRAGMA journal_mode=DELETE");
        try (SqliteLock held = SqliteLock.take(scene.database)) {
            assertThat(held).isNotNull();
            assertThat(Outside.sh("sqlite3 \"$1\" 'SELECT count(*) FROM t' 2>&1 || true", scene.database))
                    .contains("locked");
        }
    }

    @Test
    void aDatabaseThatThisProcessHasOpen() throws Exception {
        try (Connection connection = FreshConnections.open(scene.database)) {
            connection
                    .createStatement()
                    .executeQuery("SELECT 1 FROM sqlite_schema")
                    .close();
            refused(scene.request(), "is open in this process");
        }
    }

    @Test
    void tooLittleDisk() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may mount");
        Path mount = Files.createDirectory(folder.resolve("small"));
        Outside.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", mount.toString());
        try {
            Scene small = Scene.damaged(mount.resolve("data"));
            Outside.sh("head -c 900000 /dev/zero > \"$1\"", mount.resolve("filling"));
            String before = Scene.listing(mount);
            assertThat(message(small.request())).contains("there is too little room in " + small.folder);
            assertThat(Scene.listing(mount)).isEqualTo(before);
        } finally {
            Outside.run("umount", "-l", mount.toString());
        }
    }

    /** The room that was there is taken by somebody else while the copy is made. */
    @Test
    void aDiskThatFillsUpMeanwhileLeavesTheOriginal() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may mount");
        Path mount = Files.createDirectory(folder.resolve("small"));
        Outside.run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount.toString());
        try {
            Scene small = Scene.damaged(mount.resolve("data"));
            String before = Scene.listing(small.folder);
            RestoreReport report = new Restore(Timepiece.system(), act -> {
                        if (act.startsWith("fill")) {
                            try {
                                Outside.sh("cat /dev/zero > \"$1\" 2>/dev/null || true", mount.resolve("filling"));
                            } catch (Exception ex) {
                                throw new IllegalStateException(ex);
                            }
                        }
                    })
                    .begin(small.request());
            assertThat(report.outcome()).isEqualTo(Outcome.UNDONE);
            assertThat(report.text()).contains("has been undone").containsIgnoringCase("space");
            Outside.sh("rm -rf \"$1\"", small.forensics);
            assertThat(Scene.listing(small.folder)).isEqualTo(before);
        } finally {
            Outside.run("umount", "-l", mount.toString());
        }
    }

    @Test
    void aCopyOfADatabaseThatHadBeenEmptiedAlready() throws Exception {
        Scene emptied = Scene.sound(folder.resolve("emptied"));
        RestoreTest.remember(emptied);
        Outside.overwrite(emptied.database, 5);
        Outside.sqlite3(emptied.backup, "DELETE FROM t; VACUUM");
        String before = Scene.listing(emptied.folder);
        assertThat(message(emptied.request())).contains("does not hold what the database has held");
        assertThat(Scene.listing(emptied.folder)).isEqualTo(before);
    }

    @Test
    void aDatabaseWithAHotJournalIsNotJudged() throws Exception {
        Scene hot = Scene.sound(folder.resolve("hot"));
        Outside.sqlite3(hot.database, "PRAGMA journal_mode=DELETE");
        hot.insertAndBeKilled("PRAGMA cache_size=1; BEGIN; UPDATE t SET body=hex(zeroblob(251));");
        assertThat(hot.beside("-journal")).isNotEmptyFile();
        String before = Scene.listing(hot.folder);
        assertThat(message(hot.request())).contains("could not be checked", "force");
        assertThat(Scene.listing(hot.folder)).isEqualTo(before);
    }

    private void refused(RestoreRequest request, String... words) throws Exception {
        String before = Scene.listing(scene.folder);
        assertThat(message(request)).contains(words);
        assertThat(Scene.listing(scene.folder)).isEqualTo(before);
    }

    private static String message(RestoreRequest request) {
        RestoreRefusedException refused =
                catchThrowableOfType(RestoreRefusedException.class, () -> Restore.run(request));
        assertThat(refused).isNotNull();
        assertThat(refused.getMessage()).doesNotContain("\n");
        return refused.getMessage();
    }

    /** A {@code sqlite3} that has done what it was told and stays. */
    private static final class Session implements AutoCloseable {

        private final Process process;

        Session(Path database, String statements) throws Exception {
            Outside.need("sqlite3");
            Path done = Files.createTempDirectory("session").resolve("done");
            process = new ProcessBuilder("sqlite3", database.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Writer to = process.outputWriter(StandardCharsets.UTF_8);
            to.write(statements + "\n.shell touch '" + done + "'\n");
            to.flush();
            await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(done));
        }

        long pid() {
            return process.pid();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
