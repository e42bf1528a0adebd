package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreTest {

    @TempDir
    Path folder;

    @Test
    void aDamagedDatabaseIsReplacedAndKeptWithItsSidecars() throws Exception {
        Scene scene = Scene.damaged(folder);
        Files.writeString(scene.beside(".corrupt"), "{}");
        String main = Scene.sum(scene.database);
        String wal = Scene.sum(scene.beside("-wal"));
        String backup = Scene.listing(scene.backup.getParent());

        RestoreReport report = Restore.run(scene.request());

        assertThat(report.outcome()).isEqualTo(Outcome.RESTORED);
        assertThat(report.state()).isEqualTo(State.DAMAGED);
        assertThat(report.installed().rows()).containsOnly(entry("t", 300L));
        assertThat(report.text()).contains("is damaged", "restored from " + scene.backup, "300 rows in 1 table");
        assertThat(Scene.sum(scene.database)).isEqualTo(Scene.sum(scene.backup));
        assertThat(Scene.listing(scene.backup.getParent())).isEqualTo(backup);
        Archives.Archive archive = new Archives(scene.database).list().get(0);
        assertThat(archive.files()).extracting(Path::toString).containsExactlyElementsOf(sorted(report.archives()));
        assertThat(Scene.sum(archive.files().get(0))).isEqualTo(main);
        assertThat(Scene.sum(archive.files().get(2))).isEqualTo(wal);
        String name = archive.files().get(0).getFileName().toString();
        assertThat(scene.names())
                .containsExactly(scene.name(), name, name + "-shm", name + "-wal", "backups", "forensics");
        assertThat(scene.rows()).isEqualTo(300);
        assertThat(new RestoreReports(scene.forensics).list()).containsExactly(report);
    }

    private static List<String> sorted(List<String> all) {
        return all.stream().sorted().toList();
    }

    @Test
    void theRowsOfTheSidecarsAreStillReadWithTheArchive() throws Exception {
        Scene scene = Scene.sound(folder);
        RestoreReport report = Restore.run(scene.forced(scene.backup, "test"));
        assertThat(report.outcome()).isEqualTo(Outcome.RESTORED);
        Path archive = new Archives(scene.database).list().get(0).files().get(0);
        assertThat(Outside.sqlite3(archive, "SELECT count(*) FROM t"))
                .isEqualTo(String.valueOf(Scene.BACKED_UP + Scene.SINCE));
    }

    @Test
    void ownerAndPermissionsAreThoseOfTheOriginal() throws Exception {
        Scene scene = Scene.damaged(folder);
        Files.setPosixFilePermissions(scene.database, PosixFilePermissions.fromString("rw-rw-r--"));
        boolean root = "root".equals(System.getProperty("user.name"));
        if (root) {
            Outside.sh("chown 65534:65534 \"$1\"", scene.database);
        }
        Restore.run(scene.request());
        assertThat(Outside.sh("stat -c '%a %u' \"$1\"", scene.database))
                .isEqualTo("664 " + (root ? "65534" : Outside.run("id", "-u")));
    }

    @Test
    void aSoundDatabaseIsNotReplacedUnlessForced() throws Exception {
        Scene scene = Scene.sound(folder);
        String before = Scene.listing(folder);
        RestoreReport report = Restore.run(scene.request());
        assertThat(report.outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(report.text()).contains("is sound", "nothing is restored");
        assertThat(Scene.listing(folder)).isEqualTo(before);

        assertThat(Restore.run(scene.forced(scene.backup, "latest")).outcome()).isEqualTo(Outcome.RESTORED);
    }

    @Test
    void aSoundDatabaseWithoutSidecarsGetsNone() throws Exception {
        Scene scene = Scene.sound(folder);
        Outside.sqlite3(scene.database, "PRAGMA wal_checkpoint(TRUNCATE)");
        String before = Scene.listing(folder);
        assertThat(before).doesNotContain("-wal");
        assertThat(Restore.run(scene.request()).outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(Scene.listing(folder)).isEqualTo(before);
    }

    @Test
    void aMissingDatabaseIsRestoredAndItsStaleSidecarsGoAside() throws Exception {
        Scene scene = Scene.sound(folder);
        Files.delete(scene.database);
        RestoreReport report = Restore.run(scene.request());
        assertThat(report.outcome()).isEqualTo(Outcome.RESTORED);
        assertThat(report.state()).isEqualTo(State.MISSING);
        assertThat(report.archives()).hasSize(2).allMatch(file -> file.contains(".corrupt-"));
        assertThat(scene.beside("-wal")).doesNotExist();
        assertThat(scene.beside("-shm")).doesNotExist();
        assertThat(scene.rows()).isEqualTo(300);
    }

    /** What was wrong with the process that ran then is not settled by another file. */
    @Test
    void onlyWhatWasWrongWithTheFilesIsSettled() throws Exception {
        Scene scene = Scene.damaged(folder);
        Instant then = Instant.parse("2026-07-15T12:00:00Z");
        RememberedFinding damaged = new RememberedFinding(Verdict.DAMAGED, Check.FULL, true, "btree", then);
        RememberedFinding locks = new RememberedFinding(Verdict.LOCKS_LOST, Check.IDENTITY, true, "gone", then);
        Incident incident = new Incident("i", then, null, List.of("DAMAGED", "LOCKS_LOST"));
        String main = scene.database.toString();
        try (Memory memory = memory(scene)) {
            memory.keep(new Remembered(main, incident, List.of(damaged, locks), List.of(), null, 3, null));
        }
        Restore.run(scene.request());
        try (Memory memory = memory(scene)) {
            Remembered settled = memory.recall().orElseThrow();
            assertThat(settled)
                    .isEqualTo(new Remembered(main, incident, List.of(locks), List.of(), settled.content(), 3, null));
        }
    }

    @Test
    void anEmptiedDatabaseIsRestored() throws Exception {
        Scene scene = Scene.sound(folder);
        remember(scene);
        for (String suffix : DatabaseFiles.ALL) {
            Files.deleteIfExists(scene.beside(suffix));
        }
        Outside.sqlite3(scene.database, "PRAGMA application_id=77; CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
        RestoreReport report = Restore.run(scene.request());
        assertThat(report.state()).isEqualTo(State.EMPTIED);
        assertThat(report.condition()).contains("no rows any more in the table t");
        assertThat(scene.rows()).isEqualTo(300);
    }

    @Test
    void whatHasNoPagesOrNoTablesOrBreaksTheRulesIsEmptied() throws Exception {
        for (String sql : List.of("", "PRAGMA user_version=3", "CREATE TABLE other(x)")) {
            Scene scene = Scene.sound(folder.resolve("case " + sql));
            for (String suffix : DatabaseFiles.ALL) {
                Files.deleteIfExists(scene.beside(suffix));
            }
            Files.createFile(scene.database);
            Outside.sqlite3(scene.database, sql);
            RestoreReport report = Restore.run(scene.demanding(scene.backup, null, Map.of("t", 10L), "t"));
            assertThat(report.state()).as(sql).isEqualTo(State.EMPTIED);
            assertThat(scene.rows()).isEqualTo(300);
        }
    }

    @Test
    void whatWasRememberedIsNoMeasureForWhatHasBeenInstalled() throws Exception {
        Scene scene = Scene.damaged(folder);
        remember(scene);
        Restore.run(scene.request(null));
        assertThat(memory(scene).recall().orElseThrow().content()).isNull();
    }

    /** It may be gone again before anybody has looked. */
    @Test
    void whatHasBeenInstalledIsRememberedAlsoWhereNobodyHasEverLooked() throws Exception {
        Scene scene = Scene.damaged(folder);
        Restore.run(scene.request());
        Content content = memory(scene).recall().orElseThrow().content();
        assertThat(content).isNotNull();
        assertThat(content.filled()).containsExactly("t");
        Files.delete(scene.database);
        Outside.sqlite3(scene.database, "PRAGMA application_id=77; CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
        ContentWitness witness =
                new ContentWitness(scene.database, ContentRules.NONE, Optional.of(content), Timepiece.system());
        assertThat(witness.ask().bad()).isTrue();
    }

    @Test
    void aFreshStartLeavesNothingBehindButTheArchive() throws Exception {
        Scene scene = Scene.damaged(folder);
        String main = Scene.sum(scene.database);
        RestoreReport report = Restore.run(scene.request(null));
        assertThat(report.outcome()).isEqualTo(Outcome.STARTED_FRESH);
        assertThat(report.installed()).isNull();
        assertThat(scene.names())
                .hasSize(5)
                .allMatch(name -> name.contains(".corrupt-") || name.equals("backups") || name.equals("forensics"));
        assertThat(Scene.sum(new Archives(scene.database).list().get(0).files().get(0)))
                .isEqualTo(main);
    }

    @Test
    void whatIsSoundHasBeenMovedAsideAndNothingElseIsSaid() throws Exception {
        Scene scene = Scene.sound(folder);
        RestoreReport report = Restore.run(scene.forced(null, RestoreRequest.START_FRESH));
        assertThat(report.text())
                .startsWith(
                        scene.database + " is sound, and has been moved aside; a new one can be created; the original");
    }

    @Test
    void aDryRunChangesNothing() throws Exception {
        Scene scene = Scene.damaged(folder);
        String before = Scene.listing(folder);
        RestoreReport report = Restore.run(scene.dry());
        assertThat(report.outcome()).isEqualTo(Outcome.WOULD_BE_DONE);
        assertThat(report.text()).contains("3 files would be moved aside", scene.backup + " restored");
        assertThat(Scene.listing(folder)).isEqualTo(before);
    }

    @Test
    void aRequestThatStaysIsHonouredOnce() throws Exception {
        Scene scene = Scene.damaged(folder);
        assertThat(Restore.run(scene.request()).outcome()).isEqualTo(Outcome.RESTORED);
        assertThat(Restore.run(scene.request()).outcome()).isEqualTo(Outcome.HEALTHY);
        Outside.overwrite(scene.database, 5);
        String before = Scene.listing(folder);
        RestoreReport report = Restore.run(scene.request());
        assertThat(report.outcome()).isEqualTo(Outcome.HONOURED_BEFORE);
        assertThat(report.text()).contains("is damaged", "not done twice");
        assertThat(Scene.listing(folder)).isEqualTo(before);

        // Another copy of the same name is another request.
        Outside.sh("touch -d '1 hour ago' \"$1\"", scene.backup);
        assertThat(Restore.run(scene.request()).outcome()).isEqualTo(Outcome.RESTORED);
    }

    @Test
    void aForcedRequestThatStaysIsHonouredOnceWhateverTheLatestBackupIs() throws Exception {
        Scene scene = Scene.sound(folder);
        assertThat(Restore.run(scene.forced(scene.backup, "latest")).outcome()).isEqualTo(Outcome.RESTORED);
        Outside.sqlite3(scene.database, "INSERT INTO t(body) VALUES('after')");
        Path later = scene.backup.resolveSibling("later.db");
        Outside.sqlite3(scene.database, "VACUUM INTO '" + later + "'; INSERT INTO t(body) VALUES('after that')");
        assertThat(Restore.run(scene.forced(later, "latest")).outcome()).isEqualTo(Outcome.HEALTHY);
        assertThat(scene.rows()).isEqualTo(302);
    }

    @Test
    void aFreshStartThatStaysIsHonouredOnce() throws Exception {
        Scene scene = Scene.damaged(folder);
        assertThat(Restore.run(scene.request(null)).outcome()).isEqualTo(Outcome.STARTED_FRESH);
        Outside.database(scene.database, 300);
        Outside.overwrite(scene.database, 5);
        assertThat(Restore.run(scene.request(null)).outcome()).isEqualTo(Outcome.HONOURED_BEFORE);
        assertThat(scene.database).exists();
    }

    @Test
    void oldArchivesGoButNeverTheNewest() throws Exception {
        Scene scene = Scene.damaged(folder);
        FakeTime clock = new FakeTime();
        RestoreRequest plain = scene.request();
        RestoreRequest keepTwo = new RestoreRequest(
                scene.database,
                scene.forensics,
                scene.backup,
                plain.asked(),
                false,
                true,
                false,
                2,
                plain.demands(),
                plain.checkLimit());
        String first = ForensicsDirectory.stamp(clock.instant());
        for (int round = 0; round < 3; round++) {
            assertThat(new Restore(clock.timepiece(), act -> {}).begin(keepTwo).outcome())
                    .isEqualTo(Outcome.RESTORED);
            clock.pass(Duration.ofDays(1));
            Outside.overwrite(scene.database, 5);
        }
        assertThat(times(scene)).hasSize(2).doesNotContain(first);
        // A clock that was set back makes the newest one look like the oldest.
        clock.jump(Duration.ofDays(-100));
        String oldest = ForensicsDirectory.stamp(clock.instant());
        new Restore(clock.timepiece(), act -> {}).begin(keepTwo);
        assertThat(times(scene)).hasSize(2).contains(oldest);
    }

    private static List<String> times(Scene scene) throws Exception {
        return new Archives(scene.database)
                .list().stream().map(Archives.Archive::time).toList();
    }

    @Test
    void aCopyThatIsChangedWhileItIsCopiedIsNotInstalled() throws Exception {
        Scene scene = Scene.damaged(folder);
        List<String> told = new ArrayList<>();
        RestoreReport report = new Restore(Timepiece.system(), act -> {
                    told.add(act);
                    if (act.startsWith("fill")) {
                        try {
                            Outside.sqlite3(scene.backup, "DELETE FROM t WHERE id < 100");
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                    }
                })
                .begin(scene.request());
        assertThat(report.outcome()).isEqualTo(Outcome.UNDONE);
        assertThat(report.text()).contains("is not what was checked");
        assertThat(report.archives()).isEmpty();
        assertThat(told).noneMatch(act -> act.startsWith("rename"));
    }

    @Test
    void aLinkToTheDatabaseStaysALink() throws Exception {
        Scene scene = Scene.damaged(folder.resolve("data"));
        Path link = Files.createSymbolicLink(folder.resolve("link.db"), scene.database);
        RestoreRequest plain = scene.request();
        Restore.run(new RestoreRequest(
                link,
                scene.forensics,
                scene.backup,
                plain.asked(),
                false,
                false,
                false,
                5,
                plain.demands(),
                plain.checkLimit()));
        assertThat(link).isSymbolicLink();
        assertThat(scene.rows()).isEqualTo(300);
        assertThat(new Archives(scene.database).list()).hasSize(1);
    }

    static void remember(Scene scene) throws Exception {
        ContentWitness witness =
                new ContentWitness(scene.database, ContentRules.NONE, Optional.empty(), Timepiece.system());
        witness.ask();
        try (Memory memory = memory(scene)) {
            memory.keep(new Remembered(
                    scene.database.toString(),
                    null,
                    List.of(),
                    List.of(),
                    witness.remembered().orElseThrow(),
                    0,
                    null));
        }
    }

    private static Memory memory(Scene scene) {
        return new Memory(new ForensicsDirectory(scene.forensics), scene.database, Clock.systemUTC());
    }
}
