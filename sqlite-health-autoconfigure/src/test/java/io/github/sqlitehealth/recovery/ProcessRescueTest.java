package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.ProcessFile;
import io.github.sqlitehealth.os.ProcessFiles;
import io.github.sqlitehealth.recovery.HeldDatabase.Generation;
import io.github.sqlitehealth.recovery.ProcessRescueReport.Copy;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConfig;

/** Rows that only another process can reach are copied out of it: a SQLite shell, which knows nothing of this library. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessRescueTest {

    @TempDir
    Path folder;

    private Path database;
    private Path to;
    private final List<Process> shells = new ArrayList<>();

    @BeforeEach
    void prepare() throws Exception {
        assumeTrue(new OwnDescriptors().readable(), "this system has no /proc, so this cannot be acted");
        database = Outside.database(folder.resolve("app é ?.db"), 10);
        to = folder.resolve("rescue.db");
    }

    @AfterEach
    void end() {
        shells.forEach(Process::destroyForcibly);
        shells.forEach(shell -> shell.onExit().join());
    }

    @Test
    void theRowsOfAStrandedProcess() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('before')");
        Outside.sh("rm \"$1-wal\" \"$1-shm\"", database);
        type(shell, "INSERT INTO t(body) VALUES('after')");
        type(shell, "BEGIN IMMEDIATE");
        type(shell, "INSERT INTO t(body) VALUES('not committed')");
        String locks = locks(shell);
        assertThat(locks).contains("POSIX");

        ProcessRescueReport report = rescue(shell);

        assertThat(report.copies()).singleElement().satisfies(copy -> {
            assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 12L));
            assertThat(copy.of()).contains("-wal (inode ", ", deleted)");
        });
        assertThat(report.standstill()).isPositive();
        assertThat(Outside.sqlite3(to, "SELECT count(*) FROM t")).isEqualTo("12");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to)))
                .isEqualTo("rw-------");
        assertThat(locks(shell)).isEqualTo(locks);
        type(shell, "COMMIT");
        assertThat(Outside.sqlite3(database, "SELECT count(*) FROM t")).isEqualTo("10");
        assertThat(names()).noneMatch(name -> name.contains("rescuing"));
    }

    @Test
    void aProcessThatIsNotStranded() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('since')");
        String before = Scene.listing(folder);

        assertThat(rescue(shell).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 11L)));

        Files.delete(to);
        assertThat(Scene.listing(folder)).isEqualTo(before);
        type(shell, "INSERT INTO t(body) VALUES('more')");
        assertThat(Outside.sqlite3(database, "SELECT count(*) FROM t")).isEqualTo("12");
    }

    @Test
    void aMainFileThatWasReplaced() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('ours')");
        Path other = Outside.database(folder.resolve("other.db"), 3);
        Outside.sh("mv \"$1\" \"$2\"", other, database);

        assertThat(rescue(shell).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 11L)));
    }

    @Test
    void aMainFileThatWasRenamed() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('ours')");
        Outside.sh("mv \"$1\" \"$2\"", database, folder.resolve("renamed.db"));

        assertThat(rescue(shell).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 11L)));
    }

    @Test
    void whatIsHalfDoneWithoutAWalIsRolledBack() throws Exception {
        Path rollback = Outside.database(folder.resolve("rollback.db"), 2000, "delete");
        Process shell = shell(rollback, "PRAGMA cache_size=10");
        type(shell, "BEGIN");
        type(shell, "DELETE FROM t");
        type(shell, "INSERT INTO t(body) VALUES('half done')");
        assertThat(rollback.resolveSibling("rollback.db-journal")).isNotEmptyFile();
        Outside.sh("rm \"$1\" \"$1-journal\"", rollback);

        assertThat(rescue(shell).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 2000L)));
    }

    @Test
    void eachGenerationOfTheFilesIsACopyOfItsOwn() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('ours')");
        Outside.sh("rm \"$1-wal\" \"$1-shm\"", database);
        shell(database, "INSERT INTO t(body) VALUES('theirs'), ('theirs')");
        // A second connection of the stranded process opens the new -wal, which it cannot use.
        attempt(shell, ".connection 1", ".open '" + database + "'", "SELECT 1 FROM t;");

        ProcessRescueReport report = rescue(shell);

        assertThat(report.copies())
                .extracting(copy -> copy.facts().rows().get("t"))
                .containsExactlyInAnyOrder(11L, 12L);
        assertThat(report.copies()).extracting(Copy::file).containsExactly(to + ".1", to + ".2");
        assertThat(report.notes()).anyMatch(note -> note.contains("several generations"));
        assertThat(names()).doesNotContain("rescue.db");
    }

    @Test
    void aConnectionThatCameTooLateIsNoGeneration() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('ours')");
        Outside.sh("rm \"$1-wal\" \"$1-shm\"", database);
        attempt(shell, ".connection 1", ".open '" + database + "'", "SELECT 1 FROM t;");
        assertThat(database.resolveSibling(database.getFileName() + "-wal")).isEmptyFile();

        assertThat(rescue(shell).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 11L)));
    }

    @Test
    void severalDatabasesAreToBeChosenFrom() throws Exception {
        Path other = Outside.database(folder.resolve("other.db"), 3);
        Process shell = shell(database, "INSERT INTO t(body) VALUES('ours')");
        type(shell, "ATTACH '" + other + "' AS other");
        type(shell, "INSERT INTO other.t(body) VALUES('ours')");

        assertThatThrownBy(() -> rescue(shell))
                .isInstanceOf(RescueRefusedException.class)
                .hasMessageContainingAll("several databases", "--database=", database.toString(), other.toString());
        assertThat(names()).doesNotContain("rescue.db");

        Copy copy =
                ProcessRescue.run(request(shell.pid(), other, false)).copies().get(0);
        assertThat(copy.facts().rows()).isEqualTo(Map.of("t", 4L));
        assertThatThrownBy(() -> ProcessRescue.run(request(shell.pid(), folder.resolve("none.db"), false)))
                .hasMessageContaining("does not hold " + folder.resolve("none.db"));
    }

    @Test
    void aCopyThatIsNotSoundIsKeptUnderAnotherName() throws Exception {
        Outside.sqlite3(
                database,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
                        + " INSERT INTO t(body) SELECT hex(zeroblob(250)) FROM n");
        Outside.overwrite(database, 5);
        Process shell = shell(database, "SELECT 1 FROM sqlite_schema");

        ProcessRescueReport report = rescue(shell);

        assertThat(report.sound()).isFalse();
        Copy copy = report.copies().get(0);
        assertThat(copy.refused()).contains("damaged");
        assertThat(Path.of(copy.file())).exists();
        assertThat(copy.file()).startsWith(to + ".unsound-");
        assertThat(names()).doesNotContain("rescue.db").noneMatch(name -> name.contains("rescuing"));
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('since')");
        String before = Scene.listing(folder);

        assertThat(ProcessRescue.run(request(shell.pid(), null, true)).copies())
                .singleElement()
                .satisfies(copy -> assertThat(copy.file()).isEqualTo(to.toString()));

        assertThat(Scene.listing(folder)).isEqualTo(before);
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('since')");
        for (String there : List.of("rescue.db", "rescue.db-wal", "rescue.db.rescuing")) {
            Path file = Files.createDirectory(folder.resolve(there));
            String before = Scene.listing(folder);
            assertThatThrownBy(() -> rescue(shell))
                    .isInstanceOf(RescueRefusedException.class)
                    .hasMessageContaining(file + " is there");
            assertThat(Scene.listing(folder)).isEqualTo(before);
            Files.delete(file);
        }
    }

    @Test
    void whatCannotBeDoneIsSaidInOneLine() throws Exception {
        Process none = new ProcessBuilder("sleep", "60").start();
        shells.add(none);
        await().until(() -> none.info().command().orElse("").endsWith("sleep"));
        assertThatThrownBy(() -> rescue(none)).hasMessageContaining("holds no SQLite database");
        none.destroyForcibly().waitFor();
        assertThatThrownBy(() -> rescue(none)).hasMessageContaining("there is no process " + none.pid());
        assertThatThrownBy(
                        () -> ProcessRescue.run(request(ProcessHandle.current().pid(), null, false)))
                .hasMessageContaining("this very command");
    }

    @Test
    void neverADatabaseThatThisProcessHasOpenItself() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('since')");
        try (var own = new SQLiteConfig().createConnection("jdbc:sqlite:" + database)) {
            own.createStatement().execute("SELECT count(*) FROM t");
            assertThatThrownBy(() -> rescue(shell)).hasMessageContaining("open in this process, too");
        }
    }

    @Test
    void whoeverChangesTheFilesMeanwhileIsNoticed() throws Exception {
        Process shell = shell(database, "INSERT INTO t(body) VALUES('since')");
        Process other = new ProcessBuilder("sh", "-c", "while :; do touch -c \"$1\"; done", "sh", database.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        shells.add(other);

        assertThatThrownBy(() -> rescue(shell))
                .isInstanceOf(RescueRefusedException.class)
                .hasMessageContaining("changed during the copying, 3 times");

        assertThat(names()).noneMatch(name -> name.startsWith("rescue.db"));
    }

    /** Process 1 of a container cannot be stopped from inside of it. */
    @Test
    void aProcessThatRunsOnIsCopiedAsItWasWhenTheCopyWasBegun() throws Exception {
        Process shell = shell(database, "PRAGMA wal_autocheckpoint=0");
        AtomicInteger committed = new AtomicInteger();
        AtomicBoolean enough = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            try {
                while (!enough.get()) {
                    type(shell, "INSERT INTO t(body) VALUES('more')");
                    committed.incrementAndGet();
                }
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        });
        writer.start();
        try {
            await().until(() -> committed.get() > 50);
            List<Generation> generations = HeldDatabase.of(
                            new ProcessFiles(shell.pid()).list(), ProcessFile::isDatabase)
                    .get(0)
                    .generations();
            int before = committed.get();
            try (RescuedPairs pairs = RescuedPairs.in(folder.resolve("rescuing"), "it", generations)) {
                pairs.copy(generations);
                await().until(() -> committed.get() > before + 50);
                Copy copy = pairs.install(0, to, generations.get(0), Duration.ofMinutes(1), Timepiece.system());
                assertThat(copy.refused()).isNull();
                assertThat(copy.facts().rows().get("t")).isBetween(10L + before, 10L + committed.get());
            }
        } finally {
            enough.set(true);
            writer.join();
        }
    }

    private ProcessRescueReport rescue(Process process) throws RescueRefusedException {
        return ProcessRescue.run(request(process.pid(), null, false));
    }

    private ProcessRescueRequest request(long pid, Path which, boolean dry) {
        return new ProcessRescueRequest(pid, which, to, false, dry, Duration.ofMinutes(1));
    }

    private Process shell(Path file, String sql) throws IOException {
        Outside.need("sqlite3");
        Process shell = new ProcessBuilder("sqlite3", "-batch", file.toString())
                .redirectErrorStream(true)
                .start();
        shells.add(shell);
        type(shell, sql);
        return shell;
    }

    private static void type(Process shell, String sql) throws IOException {
        assertThat(attempt(shell, sql + ";")).doesNotContainIgnoringCase("error");
    }

    /** Returns when it is through, with what was printed. */
    private static String attempt(Process shell, String... lines) throws IOException {
        Writer to = shell.outputWriter(StandardCharsets.UTF_8);
        to.write(String.join("\n", lines) + "\n.print done\n");
        to.flush();
        StringBuilder printed = new StringBuilder();
        for (String line = shell.inputReader().readLine(); !"done".equals(line); ) {
            assertThat(line).isNotNull();
            printed.append(line).append('\n');
            line = shell.inputReader().readLine();
        }
        return printed.toString();
    }

    private static String locks(Process process) throws Exception {
        return Outside.sh("cat /proc/$1/fdinfo/* | grep -h lock:", process.pid());
    }

    private List<String> names() {
        return Arrays.stream(folder.toFile().list()).sorted().toList();
    }
}
