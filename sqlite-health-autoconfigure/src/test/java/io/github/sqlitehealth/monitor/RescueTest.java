package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import io.github.sqlitehealth.recovery.RescueCopy;
import io.github.sqlitehealth.recovery.RescueState;
import io.github.sqlitehealth.witness.DataSourceHandles;
import io.github.sqlitehealth.witness.HikariHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** What is done for the rows of a stranded process, and what its end does with them. */
class RescueTest {

    private static final int ROWS = 10;

    @TempDir
    Path temporary;

    private final Tuning tuning = new Tuning();
    private Path file;
    private HikariDataSource pool;

    @BeforeEach
    void database() throws Exception {
        open(Rig.sound(temporary.toRealPath()));
    }

    private void open(Path database) throws Exception {
        file = database;
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:sqlite:" + file);
        pool.setMaximumPoolSize(1);
        execute("SELECT count(*) FROM t");
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void theStateSaysWhatIsSavedAndWhatAStopWouldDo() throws Exception {
        try (Rig rig = stranded()) {
            rig.rescues.start();
            RescueState state = awaitCopy(rig);
            await().until(() -> rescue(rig).freeze(), new Coverage(1, 1, 0)::equals);
            assertThat(state.shown()).containsEntry("atStop", "merge").containsKeys("copy", "copyAt", "why");
            assertThat(state.shown()).doesNotContainKey("problem");
            assertThat(number("PRAGMA wal_autocheckpoint")).isZero();
            await().until(() -> rig.reasons().contains("rescue"));
            assertThat(snapshot(rig)).contains("rescue={").contains("atStop=merge");

            insert("later");
            await().until(() -> !rescue(rig).coversAll());
            assertThat(rescue(rig).copy()).isEqualTo(state.copy());
            rig.time.pass(Duration.ofMinutes(1));
            await().until(() -> rescue(rig).coversAll());
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 2);

            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('outside')");
            await().until(() -> Objects.requireNonNull(rescue(rig).atStop()).plan(), AtStop.Plan.KEEP::equals);
            assertThat(rescue(rig).shown().get("why").toString()).contains("new -wal");
        }
    }

    @Test
    void whereNobodyElseWroteTheLastCloseMerges() throws Exception {
        try (Rig rig = stranded()) {
            rig.monitor.lookOnceMore();
        }
        insert("after the last copy");
        pool.close();
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t; PRAGMA integrity_check"))
                .isEqualTo((ROWS + 2) + "\nok");
    }

    @Test
    void whereSomebodyElseWroteNothingOfTheirsIsTouched() throws Exception {
        RescueState last;
        try (Rig rig = stranded()) {
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('outside 1'), ('outside 2')");
            rig.monitor.lookOnceMore();
            rig.monitor.close();
            last = rescue(rig);
            assertThat(last.coversAll()).isTrue();
            assertThat(rowsOf(last)).isEqualTo(ROWS + 1);
            assertThat(insertRefused()).as("a row that would be lost").isTrue();
        }
        pool.close();
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t; PRAGMA integrity_check"))
                .isEqualTo((ROWS + 2) + "\nok");
        // The same Java process can use the database again, as soon as the anchor has been let go, too.
        try (HikariDataSource next = new HikariDataSource()) {
            next.setJdbcUrl("jdbc:sqlite:" + file);
            next.setMaximumPoolSize(1);
            await().ignoreExceptions().until(() -> count(next) == ROWS + 2);
        }
    }

    @Test
    void aSwapOfTheLastSecondIsSeenAtTheStop() throws Exception {
        try (Rig rig = rig()) {
            insert("ours");
            loseSidecars();
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('outside')");
            rig.monitor.lookOnceMore();
            rig.monitor.close();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 1);
        }
        pool.close();
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo(String.valueOf(ROWS + 1));
    }

    /** As in the book's incident 3: its rows are in the main file before -wal goes, and there is no new -wal to tell. */
    @Test
    void whoSeesNoLocksAndMergesBeforeItUnlinksLosesNoRows() throws Exception {
        try (Rig rig = rig()) {
            rig.look();
            insert("ours");
            rig.look();
            Outside.run(
                    "sqlite3",
                    "-batch",
                    "file:" + file.toUri().getRawPath() + "?vfs=unix-none",
                    "PRAGMA locking_mode=exclusive; INSERT INTO t(body) VALUES ('theirs')");
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            insert("late");
            rig.rescues.start();
            assertThat(awaitCopy(rig).shown())
                    .containsEntry("atStop", "keep")
                    .extractingByKey("why")
                    .asString()
                    .contains("changed right before -wal went");
            rig.monitor.lookOnceMore();
            rig.monitor.close();
        }
        pool.close();
        // As long as this process holds the old -shm, nobody else can read.
        await().ignoreExceptions()
                .until(
                        () -> Outside.sqlite3(
                                file, "SELECT count(*) FROM t WHERE body = 'theirs'; PRAGMA integrity_check"),
                        "1\nok"::equals);
    }

    @Test
    void theAnchorIsLetGoOfADrainedPoolOnlyWhenTheCopyHoldsEverything() throws Exception {
        try (Rig rig = stranded()) {
            pool.close();
            rig.look().look();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            rig.rescues.start();
            await().until(() -> rig.look().verdict() != Verdict.STRANDED);
            RescueState last = rescue(rig);
            assertThat(rowsOf(last)).isEqualTo(ROWS + 1);
            assertThat(last.shown().get("why").toString()).contains("in the copy");
        }
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo(String.valueOf(ROWS));
    }

    @Test
    void rowsThatAreLostWhileTheApplicationHasNoConnectionAreRescuedToo() throws Exception {
        try (Rig rig = rig()) {
            rig.look();
            insert("ours");
            pool.close();
            rig.look();
            loseSidecars();
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            rig.rescues.start();
            await().until(() -> rig.look().verdict() != Verdict.STRANDED);
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 1);
        }
    }

    @Test
    void withoutRescueADrainedPoolIsLetGoAsEver() throws Exception {
        tuning.stranded = new Settings.WhileStranded(true, false, 1, false);
        try (Rig rig = stranded()) {
            rig.rescues.start();
            await().until(() -> rescue(rig).problem() != null);
            assertThat(rescue(rig).problem()).contains("sqlite.health.stranded.rescue is false");
            pool.close();
            await().until(() -> rig.look().verdict() != Verdict.STRANDED);
        }
    }

    @Test
    void aChangeThatWasNoneIsForgottenAndTheConnectionsCheckpointAgain() throws Exception {
        try (Rig rig = rig()) {
            rig.look();
            rig.rescues.start();
            insert("one");
            Path wal = DatabaseFile.WAL.beside(file);
            Path aside = wal.resolveSibling("aside");
            Files.move(wal, aside);
            rig.monitor.identity().hint(DatabaseFile.WAL);
            await().until(() -> number("PRAGMA wal_autocheckpoint") == 0);
            Files.move(aside, wal);
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            await().until(() -> number("PRAGMA wal_autocheckpoint") == 1000);
            assertThat(rig.state().rescue()).isNull();
        }
    }

    @Test
    void theProcessIsHaltedOnlyWhenEverythingIsSaved() throws Exception {
        tuning.stranded = new Settings.WhileStranded(true, true, 1L << 30, true);
        try (Rig rig = stranded()) {
            rig.rescues.start();
            await().until(() -> !rig.halted.isEmpty());
            assertThat(rig.halted).allMatch(code -> code == 70);
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 1);
            assertThat(rig.reasons()).contains("identity", "rescue");
            assertThat(insertRefused()).as("a row that would be lost").isTrue();
            // What the next process finds.
            assertThat(Outside.sqlite3(file, "PRAGMA integrity_check; SELECT count(*) FROM t"))
                    .isEqualTo("ok\n" + (ROWS + 1));
        }
    }

    @Test
    void whereSomebodyElseWroteAHaltMergesNothing() throws Exception {
        tuning.stranded = new Settings.WhileStranded(true, true, 1L << 30, true);
        try (Rig rig = stranded()) {
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('theirs')");
            rig.rescues.start();
            await().until(() -> !rig.halted.isEmpty());
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 1);
            assertThat(Outside.sqlite3(
                            file, "PRAGMA integrity_check; SELECT group_concat(body) FROM t WHERE id > " + ROWS))
                    .isEqualTo("ok\ntheirs");
        }
    }

    @Test
    void theProcessIsNotHaltedWithoutACopy() throws Exception {
        tuning.stranded = new Settings.WhileStranded(true, true, 1, true);
        try (Rig rig = stranded()) {
            rig.rescues.start();
            await().until(() -> String.valueOf(rescue(rig).problem()).contains("not halted"));
            assertThat(rescue(rig).problem()).contains("sqlite.health.stranded.rescue-max-size");
            await().during(Duration.ofSeconds(3)).until(rig.halted::isEmpty);
            insert("goes on");
        }
    }

    /** The main file is replaced and its sidecars are left: the newcomers write into our -wal. */
    @Test
    void whoReplacesOnlyTheMainFileIsToldToMoveTheSidecarsAside() throws Exception {
        RescueState last;
        try (Rig rig = rig()) {
            insert("ours");
            rig.look();
            replaceMain();
            rig.look();
            assertThat(Objects.requireNonNull(rig.state().said().identity()).text())
                    .contains("whoever uses the new main file writes into the same -wal")
                    .contains("move -wal and -shm at the path aside");
            rig.rescues.start();
            awaitCopy(rig);
            assertThat(rescue(rig).shown()).containsEntry("atStop", "keep");
            assertThat(why(rig)).contains("move -wal and -shm at the path aside before anybody opens it");

            Outside.sh("mv \"$1\"-wal \"$1\"-wal-aside; mv \"$1\"-shm \"$1\"-shm-aside", file);
            rig.look();
            await().until(() -> !why(rig).contains("aside"));
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('theirs 1'), ('theirs 2')");
            insert("ours, late");
            rig.monitor.close();
            last = rescue(rig);
        }
        pool.close();
        assertThat(rowsOf(last)).isEqualTo(ROWS + 2);
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t WHERE body LIKE 'theirs%'; PRAGMA integrity_check"))
                .isEqualTo("2\nok");
    }

    @Test
    void aMainFileThatIsReplacedTogetherWithItsSidecarsSharesNothing() throws Exception {
        try (Rig rig = rig()) {
            insert("ours");
            rig.look();
            replaceMain();
            loseSidecars();
            Outside.sqlite3(file, "PRAGMA journal_mode=wal; INSERT INTO t(body) VALUES ('theirs')");
            rig.look();
            rig.rescues.start();
            assertThat(awaitCopy(rig).shown()).containsEntry("atStop", "keep");
            assertThat(why(rig)).doesNotContain("same -wal");
        }
    }

    @Test
    void whoHoldsTheLostFilesTooIsToBeKilled() throws Exception {
        RescueState last;
        try (OutsideShell shell = new OutsideShell(file, "SELECT count(*) FROM t;");
                Rig rig = rig()) {
            insert("ours");
            rig.look();
            loseSidecars();
            rig.look();
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('third')");
            shell.say("INSERT INTO t(body) VALUES ('with us');");
            rig.rescues.start();
            await().until(() -> why(rig).contains("process " + shell.pid() + " (sqlite3) holds"));
            assertThat(why(rig)).contains("new -wal with rows").contains("kill -9");
            assertThat(rescue(rig).shown()).containsEntry("atStop", "keep");

            shell.kill();
            await().until(() -> !why(rig).contains("kill -9"));
            rig.monitor.close();
            last = rescue(rig);
        }
        pool.close();
        assertThat(Outside.sqlite3(Objects.requireNonNull(last.copy()).file(), "SELECT body FROM t WHERE id > " + ROWS))
                .isEqualTo("ours\nwith us");
        assertThat(Outside.sqlite3(file, "SELECT body FROM t WHERE id > " + ROWS + "; PRAGMA integrity_check"))
                .isEqualTo("third\nok");
    }

    @Test
    void withoutAnAnchorThereIsNoCopyAndTheFreezeIsAllThatCanBeDone() throws Exception {
        tuning.anchor = false;
        try (Rig rig = stranded()) {
            rig.rescues.start();
            await().until(() ->
                    String.valueOf(rescue(rig).problem()).contains("no connection of the monitor was open"));
            await().until(() -> rescue(rig).freeze(), new Coverage(1, 1, 0)::equals);
            assertThat(rescue(rig).shown()).containsEntry("atStop", "merge");
            Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('outside')");
            await().until(() -> rescue(rig).shown().get("why").toString().contains("kill the process"));
        }
    }

    @Test
    void withoutAnAnchorNothingIsMergedWhileAnotherHoldsTheMainFile() throws Exception {
        tuning.anchor = false;
        try (Rig rig = stranded();
                OutsideShell shell = new OutsideShell(file, "INSERT INTO t(body) VALUES ('theirs');")) {
            rig.rescues.start();
            await().until(() -> why(rig).contains("merges nothing"));
            assertThat(rescue(rig).shown()).containsEntry("atStop", "keep");
            assertThat(why(rig)).contains("rescue --pid");
            rig.monitor.close();
            assertThat(insertRefused()).as("a row that would be lost").isTrue();
            pool.close();
            shell.kill();
        }
        assertThat(Outside.sqlite3(file, "SELECT body FROM t WHERE id > " + ROWS + "; PRAGMA integrity_check"))
                .isEqualTo("theirs\nok");
    }

    /** A {@code tail -f}, a program that copies: it has no lock that could keep the last close from merging. */
    @Test
    void withoutAnAnchorWhoeverOnlyHasTheMainFileOpenPreventsNothing() throws Exception {
        tuning.anchor = false;
        Process reader = new ProcessBuilder("tail", "-f", file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (Rig rig = stranded()) {
            rig.rescues.start();
            await().until(() -> why(rig).contains("process " + reader.pid() + " (tail) holds main"));
            assertThat(rescue(rig).shown()).containsEntry("atStop", "merge");
            assertThat(why(rig))
                    .contains("nothing keeps the last close from merging")
                    .contains("kill the process");
            rig.monitor.close();
            insert("not refused");
            pool.close();
            assertThat(Outside.sqlite3(file, "SELECT body FROM t WHERE id > " + ROWS + "; PRAGMA integrity_check"))
                    .isEqualTo("ours\nnot refused\nok");
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    @Test
    void withoutAnAnchorNothingIsMergedIntoAMainFileThatIsAnother() throws Exception {
        tuning.anchor = false;
        try (Rig rig = rig()) {
            insert("ours");
            replaceMain();
            loseSidecars();
            Outside.sqlite3(file, "PRAGMA journal_mode=wal; INSERT INTO t(body) VALUES ('theirs')");
            rig.look();
            rig.rescues.start();
            await().until(() -> rescue(rig).freeze(), new Coverage(1, 1, 0)::equals);
            assertThat(rescue(rig).shown()).containsEntry("atStop", "keep");
            assertThat(why(rig)).contains("end with this process");
        }
        pool.close();
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t WHERE body = 'theirs'; PRAGMA integrity_check"))
                .isEqualTo("1\nok");
    }

    @Test
    void withoutFreezeConnectionsAreLeftAlone() throws Exception {
        tuning.stranded = new Settings.WhileStranded(false, true, 1L << 30, false);
        try (Rig rig = stranded()) {
            rig.rescues.start();
            awaitCopy(rig);
            assertThat(rescue(rig).freeze()).isEqualTo(new Coverage(0, 1, 0));
            assertThat(rescue(rig).problem()).contains("sqlite.health.stranded.freeze is false");
            assertThat(number("PRAGMA wal_autocheckpoint")).isEqualTo(1000);
        }
    }

    @Test
    void connectionsThatCannotBeSeenAreSaid() throws Exception {
        SQLiteDataSource plain = new SQLiteDataSource();
        plain.setUrl("jdbc:sqlite:" + file);
        try (Connection used = plain.getConnection();
                Statement statement = used.createStatement();
                Rig rig = new Rig(file, new DataSourceHandles(plain, file, () -> false, each -> true), tuning)) {
            statement.execute("INSERT INTO t(body) VALUES ('ours')");
            loseSidecars();
            rig.look();
            rig.rescues.start();
            assertThat(awaitCopy(rig).problem()).contains("cannot be seen");
            assertThat(rowsOf(rescue(rig))).isEqualTo(ROWS + 1);
        }
    }

    /** Whoever closes last outside may merge our -wal into another file: later copies then lack what it held. */
    @Test
    void theCopyOfBeforeMoreFilesWereLostIsNotReplacedByNewerOnes() throws Exception {
        try (Rig rig = rig()) {
            insert("before");
            Files.move(file, file.resolveSibling("old.db"));
            Files.writeString(file, "");
            rig.look();
            rig.rescues.start();
            RescueCopy before = Objects.requireNonNull(awaitCopy(rig).copy());
            loseSidecars();
            rig.look();
            for (int later = 0; later < 4; later++) {
                insert("later " + later);
                RescueCopy last = rescue(rig).copy();
                rig.time.pass(Duration.ofMinutes(1));
                await().until(() -> !Objects.equals(last, rescue(rig).copy()));
            }
            assertThat(before.file()).exists();
            assertThat(Outside.sh(
                            "ls \"$1\" | grep -c '^rescue-.*db$'", before.file().getParent()))
                    .as("and the newest two")
                    .isEqualTo("3");
        }
    }

    @Test
    void aCopyWithFewerRowsDoesNotReplaceTheOneThatHasThemAndCoversNothingMore() throws Exception {
        try (Rig rig = stranded()) {
            rig.rescues.start();
            RescueCopy before = Objects.requireNonNull(awaitCopy(rig).copy());
            insert("later");
            rig.time.pass(Duration.ofMinutes(1));
            await().until(() -> rescue(rig).coversAll());
            assertThat(rescue(rig).shown()).doesNotContainKey("problem");
            RescueCopy full = Objects.requireNonNull(rescue(rig).copy());

            // Whoever it was: this process reads fewer rows than it did.
            execute("DELETE FROM t WHERE id > 1");
            for (int later = 0; later < 4; later++) {
                insert("later " + later);
                RescueCopy last = rescue(rig).copy();
                rig.time.pass(Duration.ofMinutes(1));
                await().until(() -> !Objects.equals(last, rescue(rig).copy()));
            }

            assertThat(before.file()).as("replaced").doesNotExist();
            assertThat(full.file()).exists();
            assertThat(rescue(rig).coversAll()).isFalse();
            assertThat(rescue(rig).shown().get("problem").toString())
                    .contains("2 of " + (ROWS + 2) + " rows in t", full.file().toString());
        }
    }

    @Test
    void aFullDiskIsSaidAndTriedAgain() throws Exception {
        execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
                + " INSERT INTO t(body) SELECT hex(randomblob(250)) FROM n");
        try (Mounted small = Mounted.tmpfs(temporary.resolve("small"), "1m")) {
            tuning.snapshots = small.point().resolve("forensics");
            try (Rig rig = stranded()) {
                rig.rescues.start();
                await().until(() -> String.valueOf(rescue(rig).problem()).contains("free; make room"));
                assertThat(rescue(rig).copy()).isNull();
                Outside.run("mount", "-o", "remount,size=64m", small.point().toString());
                rig.time.pass(Duration.ofSeconds(2));
                assertThat(rowsOf(awaitCopy(rig))).isEqualTo(ROWS + 10_001);
                assertThat(rescue(rig).problem()).isNull();
            }
        }
    }

    @Test
    void aDiskThatFillsUpDuringACopyIsSaidAndTriedAgain() throws Exception {
        execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)"
                + " INSERT INTO t(body) SELECT hex(randomblob(250)) FROM n");
        try (Mounted small = Mounted.tmpfs(temporary.resolve("small"), "160m")) {
            tuning.snapshots = small.point().resolve("forensics");
            Path filler = small.point().resolve("filler");
            try (Rig rig = stranded()) {
                rig.rescues.start();
                RescueCopy good = Objects.requireNonNull(awaitCopy(rig).copy());
                int later = 0;
                // On a busy machine the copy may be quicker than who fills the disk.
                for (boolean filled = false; !filled; ) {
                    assertThat(later).as("attempts").isLessThan(20);
                    Files.deleteIfExists(filler);
                    insert("later " + later++);
                    RescueCopy before = good;
                    CompletableFuture<Void> fills = CompletableFuture.runAsync(() -> fillDuringACopy(filler));
                    rig.time.pass(Duration.ofMinutes(1));
                    await().until(() ->
                            ranOutOfSpace(rig) || !before.equals(rescue(rig).copy()));
                    fills.join();
                    filled = ranOutOfSpace(rig);
                    good = Objects.requireNonNull(rescue(rig).copy());
                }
                assertThat(good.file()).exists();
                assertThat(Outside.sh("find \"$1\" -name 'rescue-*.tmp*'", small.point()))
                        .isEmpty();

                Files.delete(filler);
                rig.time.pass(Duration.ofMinutes(1));
                assertThat(rowsOf(awaitCopy(rig))).isEqualTo(ROWS + 80_001 + later);
                assertThat(rescue(rig).problem()).isNull();
            }
        }
    }

    private static boolean ranOutOfSpace(Rig rig) {
        return String.valueOf(rescue(rig).problem()).contains("no rescue copy could be taken: [SQLITE_FULL]");
    }

    private static void fillDuringACopy(Path filler) {
        try {
            Outside.sh(
                    "for n in $(seq 2000); do if ls \"$1\"/*/*/rescue-*.tmp 2>/dev/null; then"
                            + " dd if=/dev/zero of=\"$2\" bs=1M 2>/dev/null || true; exit 0; fi; done",
                    filler.getParent(),
                    filler);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void aDirectoryThatIsGoneIsNamedAndACopyIsTakenAsSoonAsThereIsOneAgain() throws Exception {
        pool.close();
        Path data = Files.createDirectory(file.resolveSibling("data"));
        open(Rig.sound(data));
        try (Rig rig = rig()) {
            insert("ours");
            rig.look();
            Outside.sh("mv \"$1\" \"$1\"-away", data);
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            rig.rescues.start();
            await().until(() -> rescue(rig).problem() != null);
            assertThat(rescue(rig).problem())
                    .contains("no directory " + data + " any more")
                    .contains("Put it back")
                    .contains("sqlite.health.snapshots.directory")
                    .doesNotContain("Exception");
            assertThat(data).doesNotExist();

            Files.createDirectory(data);
            assertThat(rowsOf(awaitCopy(rig))).isEqualTo(ROWS + 1);
            assertThat(rescue(rig).problem()).isNull();
        }
    }

    private Rig rig() throws InterruptedException {
        return new Rig(file, new HikariHandles(pool, () -> false), tuning);
    }

    /** With one row that nobody else can see. */
    private Rig stranded() throws Exception {
        Rig rig = rig();
        insert("ours");
        loseSidecars();
        rig.look();
        assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
        return rig;
    }

    private void loseSidecars() throws Exception {
        Outside.sh("rm \"$1\"-wal \"$1\"-shm", file);
    }

    /** As a restore by hand does it that forgets the sidecars. */
    private void replaceMain() throws Exception {
        Outside.sqlite3(file, ".backup '" + file + "-new'");
        Outside.sh("mv \"$1-new\" \"$1\"", file);
    }

    private static String why(Rig rig) {
        return String.valueOf(rescue(rig).shown().get("why"));
    }

    private static RescueState rescue(Rig rig) {
        return Objects.requireNonNull(rig.state().rescue());
    }

    private static RescueState awaitCopy(Rig rig) {
        await().until(() -> rescue(rig).copy() != null && rescue(rig).coversAll());
        return rescue(rig);
    }

    private static long rowsOf(RescueState state) throws Exception {
        RescueCopy copy = Objects.requireNonNull(state.copy());
        return Long.parseLong(Outside.sqlite3(copy.file(), "SELECT count(*) FROM t"));
    }

    private static String snapshot(Rig rig) {
        String id =
                rig.state().snapshots().get(rig.state().snapshots().size() - 1).id();
        return rig.monitor.snapshot(id).orElseThrow().toString();
    }

    private void insert(String body) throws SQLException {
        execute("INSERT INTO t(body) VALUES ('" + body + "')");
    }

    private boolean insertRefused() {
        try {
            insert("refused");
            return false;
        } catch (SQLException ex) {
            return String.valueOf(ex.getMessage()).contains("READONLY");
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static long count(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM t")) {
            row.next();
            return row.getLong(1);
        }
    }
}
