package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.forensics.Json;
import io.github.sqlitehealth.monitor.Mounted;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.Collation;
import org.sqlite.SQLiteConfig;

class BackupsTest {

    private static final String TABLE = "CREATE TABLE w(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT)";

    @TempDir
    Path folder;

    @Test
    void aBackupIsADatabaseByItselfThatNobodyElseCanReadWithAllThatIsKnownBesideIt() throws Exception {
        Path source = Outside.database(folder.resolve("a ?#%20é.db"), 1000);
        Outside.sqlite3(source, "PRAGMA application_id=77; PRAGMA user_version=5");
        Path directory = BackupDirectory.beside(source);

        Backup backup = new Taking(source).now();

        assertThat(directory).isEqualTo(folder.resolve("a ?#%20é.db-backups"));
        assertThat(names(directory))
                .containsExactlyInAnyOrder(
                        "app.lock", backup.name(), backup.name().replace(".db", ".json"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        for (Path file : List.of(backup.file(), BackupDirectory.note(backup.file()))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
        Path elsewhere = Files.copy(backup.file(), folder.resolve("elsewhere.db"));
        assertThat(Outside.sqlite3(elsewhere, "PRAGMA integrity_check; SELECT count(*) FROM t"))
                .isEqualTo("ok\n1000");
        Map<String, Object> note = Json.readObject(BackupDirectory.note(backup.file()));
        assertThat(note)
                .containsEntry("database", "app")
                .containsEntry("source", source.toString())
                .containsEntry(
                        "sqliteVersion",
                        org.sqlite.SQLiteJDBCLoader.getVersion().replaceFirst("\\.\\d+$", ""))
                .containsKeys("at", "took");
        assertThat(note.get("facts"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("rows", Map.of("t", 1000))
                .containsEntry("applicationId", 77)
                .containsEntry("userVersion", 5)
                .containsEntry("check", "ok")
                .containsEntry(
                        "sha256", Outside.sh("sha256sum \"$1\"", backup.file()).substring(0, 64))
                .containsKeys("pages", "schemaVersion", "bytes");
        assertThat(directory(source).list()).containsExactly(backup);
        assertThat(directory(source).latestVerified()).contains(backup);
    }

    /** Or the database that is restored from it could be emptied and created anew without anybody noticing. */
    @Test
    void whatIsRestoredFromItAndThenEmptiedAndCreatedAnewIsEmptied() throws Exception {
        String schema = "CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x); PRAGMA journal_mode=wal;";
        Path source = Outside.database(folder.resolve("app.db"), 20_000);
        Outside.sqlite3(source, schema + "INSERT INTO a SELECT body FROM t;");
        String version = Outside.sqlite3(source, "PRAGMA schema_version");

        Backup backup = new Taking(source).now();
        Path restored = Files.copy(backup.file(), folder.resolve("restored.db"));

        assertThat(Outside.sqlite3(restored, "PRAGMA schema_version")).isEqualTo(version);
        ContentWitness before = new ContentWitness(restored, ContentRules.NONE, Optional.empty(), Timepiece.system());
        assertThat(before.ask().ok()).isTrue();
        Outside.sh(": > \"$1\"", restored);
        Outside.sqlite3(restored, "CREATE TABLE t(x);" + schema);
        Testimony said = new ContentWitness(restored, ContentRules.NONE, before.remembered(), Timepiece.system()).ask();
        assertThat(said.bad()).as(said.text()).isTrue();
    }

    @Test
    void severalConnectionsGoOnWritingAndTheCopyHoldsEveryRowUpToOneMomentAndNoneAfterIt() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 20_000);
        Outside.sqlite3(source, TABLE);
        try (Writers writers = new Writers(source, 3, Duration.ofSeconds(3), Duration.ZERO)) {
            for (int number = 0; number < 5; number++) {
                long before = writers.acknowledged.get();
                await().until(() -> writers.acknowledged.get() > before + 50);
                long first = writers.acknowledged.get();
                Backup backup = new Taking(source).now();
                long last = writers.acknowledged.get();

                String[] said = Outside.sqlite3(backup.file(), "SELECT count(*), max(id), min(id) FROM w")
                        .split("\\|");
                assertThat(said[0]).isEqualTo(said[1]);
                assertThat(said[2]).isEqualTo("1");
                assertThat(Long.parseLong(said[0])).isBetween(first, last);
                assertThat(last).as("the writers were not held up").isGreaterThan(first);
            }
            assertThat(writers.failures).isEmpty();
        }
    }

    @Test
    void withoutWalTheCopyingIsSoGentleThatNoWriterHasToGiveUp() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 200_000, "delete");
        Outside.sqlite3(source, TABLE);
        try (Writers writers = new Writers(source, 2, Duration.ofMillis(400), Duration.ofSeconds(2))) {
            await().until(() -> writers.acknowledged.get() > 1);
            long first = writers.acknowledged.get();
            Taking taking = new Taking(source);
            taking.bearable = Duration.ofMillis(200);
            Backup backup = taking.now();

            String[] said = Outside.sqlite3(backup.file(), "SELECT count(*), max(id), (SELECT count(*) FROM t) FROM w")
                    .split("\\|");
            assertThat(said[0]).isEqualTo(said[1]);
            assertThat(Long.parseLong(said[0])).isGreaterThanOrEqualTo(first);
            assertThat(said[2]).isEqualTo("200000");
            assertThat(writers.failures).isEmpty();
        }
    }

    @Test
    void withoutWalADatabaseThatIsWrittenToAllTheTimeCannotBeCopiedAndItSaysWhy() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 200_000, "delete");
        Outside.sqlite3(source, TABLE);
        // Only one: two of them would make each other fail.
        try (Writers writers = new Writers(source, 1, Duration.ofMillis(400), Duration.ofMillis(1))) {
            await().until(() -> writers.acknowledged.get() > 1);
            Taking taking = new Taking(source);
            taking.bearable = Duration.ofMillis(200);
            fails(taking::now, "began anew 10 times", "journal_mode=WAL");
            assertThat(writers.failures).isEmpty();
        }
        assertThat(names(BackupDirectory.beside(source))).containsExactly("app.lock");
    }

    @Test
    void withoutWalAndWithoutABusyTimeOutNothingIsRead() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 10, "delete");
        Taking taking = new Taking(source);
        taking.bearable = Duration.ZERO;
        fails(taking::now, "busy_timeout", source.toString());
    }

    @Test
    void aDamagedDatabaseMakesNoBackupAndTakesNoneAway() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 1000);
        Taking taking = new Taking(source);
        taking.keep = 1;
        Backup good = taking.now();
        Outside.damage(source, "t");

        for (int number = 0; number < 3; number++) {
            fails(taking::now, source.toString(), "did not pass its check", "damaged");
        }

        assertThat(directory(source).list()).containsExactly(good);
        assertThat(names(BackupDirectory.beside(source))).hasSize(3);
    }

    @Test
    void anEmptyFileAndAMissingOneMakeNoBackupAndAreLeftAsTheyAre() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty.db"));
        fails(() -> new Taking(empty).now(), "is empty");
        assertThat(empty).hasSize(0);
        Path missing = folder.resolve("missing.db");
        fails(() -> new Taking(missing).now(), missing.toString());
        assertThat(missing).doesNotExist();
        Path gone = folder.resolve("gone").resolve("app.db");
        fails(() -> new Taking(gone).now(), gone.toString());
        assertThat(gone.getParent()).doesNotExist();
    }

    @Test
    void aCorruptBackupIsSeenAmongGoodOnesAndNeverAgesThemOut() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 1000);
        Taking taking = new Taking(source);
        taking.keep = 2;
        Backup first = taking.now();
        Backup second = taking.now();
        Outside.overwrite(second.file(), 5);
        Backup third = taking.now();
        Outside.sh("truncate -s -4096 \"$1\"", third.file());
        Backup fourth = taking.now();
        Files.delete(BackupDirectory.note(fourth.file()));

        assertThat(directory(source).list())
                .extracting(Backup::file, Backup::verified)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(fourth.file(), false),
                        org.assertj.core.groups.Tuple.tuple(third.file(), false),
                        org.assertj.core.groups.Tuple.tuple(second.file(), false),
                        org.assertj.core.groups.Tuple.tuple(first.file(), true));
        assertThat(directory(source).list())
                .extracting(Backup::why)
                .containsExactly(
                        "it was never checked: there is no " + fourth.name().replace(".db", ".json"),
                        "it has " + (second.facts().bytes() - 4096) + " bytes, and had "
                                + second.facts().bytes() + " when it was checked",
                        "it has been changed since it was checked",
                        null);
        assertThat(directory(source).latestVerified()).contains(first);

        Backup fifth = taking.now();
        assertThat(directory(source).list().stream().filter(Backup::verified)).containsExactly(fifth, first);
        Backup sixth = taking.now();
        assertThat(directory(source).list().stream().filter(Backup::verified)).containsExactly(sixth, fifth);
        assertThat(List.of(second, third, fourth))
                .allSatisfy(backup -> assertThat(backup.file()).exists());
    }

    @Test
    void aBackupThatWasBroughtFromElsewhereIsReadAgainBeforeItIsBelieved() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 1000);
        Backup backup = new Taking(source).now();
        Outside.sh("touch -d 2001-02-03 \"$1\"", backup.file());
        assertThat(directory(source).list()).singleElement().matches(Backup::verified);
        Outside.sh("printf x | dd of=\"$1\" bs=1 seek=9000 conv=notrunc status=none", backup.file());
        assertThat(directory(source).list()).singleElement().matches(seen -> !seen.verified());
    }

    @Test
    void whatAnApplicationMustNotBackUpNowIsNotBackedUpNorPutAmongTheOthers() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 1000);
        Taking taking = new Taking(source);
        taking.objection = () -> "the verdict is EMPTIED";
        fails(taking::now, "the verdict is EMPTIED");
        assertThat(BackupDirectory.beside(source)).doesNotExist();
        int[] asked = {0};
        taking.objection = () -> asked[0]++ == 0 ? null : "the verdict is STRANDED";
        fails(taking::now, "the verdict is STRANDED");
        taking.objection = () -> null;
        taking.cancelled = () -> true;
        fails(taking::now, "given up");
        assertThat(names(BackupDirectory.beside(source))).containsExactly("app.lock");
    }

    @Test
    void aCopyThatIsGivenUpHalfWayPinsTheWalNoLongerAndLeavesNothing() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 100_000);
        Taking taking = new Taking(source);
        int[] asked = {0};
        taking.cancelled = () -> {
            asked[0]++;
            return true;
        };
        fails(taking::now, "given up half way");
        assertThat(asked[0]).as("it is not asked again once it has given up").isEqualTo(1);
        assertThat(Outside.sqlite3(source, "INSERT INTO t(body) VALUES ('x'); PRAGMA wal_checkpoint(TRUNCATE)"))
                .isEqualTo("0|0|0");
        assertThat(names(BackupDirectory.beside(source))).containsExactly("app.lock");
    }

    @Test
    void filesOfOthersAreLeftAloneAlsoInTheDirectoryOfTheDatabaseItself() throws Exception {
        Path source = Outside.database(folder.resolve("app-20260101T000000.000Z.db"), 10);
        Path other = Files.writeString(folder.resolve("app-eu-20200101T000000.000Z.db"), "of a database named app-eu");
        Path text = Files.writeString(folder.resolve("app-notes.json"), "{}");
        Taking taking = new Taking(source);
        taking.directory = new BackupDirectory(folder, "app");
        taking.keep = 1;
        taking.now();
        Backup last = taking.now();
        assertThat(names(folder))
                .contains(name(source), name(other), name(text), last.name())
                .filteredOn(name -> name.endsWith(".db"))
                .hasSize(3);
        assertThat(Outside.sqlite3(source, "SELECT count(*) FROM t")).isEqualTo("10");
    }

    @Test
    void aDirectoryBelowOneNamedLikeTheDatabaseIsAsGoodAsAnyOther() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 10);
        Taking taking = new Taking(source);
        taking.shared = true;
        taking.directory = new BackupDirectory(folder.resolve("x/app.db/app.db-wal"), "app");
        assertThat(taking.now().file()).exists();
    }

    @Test
    void twoApplicationsWhoseDatabasesHaveOneNameDoNotMixTheirBackups() throws Exception {
        Path ours = Outside.database(folder.resolve("ours.db"), 10);
        Path theirs = Outside.database(folder.resolve("theirs.db"), 10);
        BackupDirectory shared = new BackupDirectory(folder.resolve("all"), "app");
        Taking first = new Taking(theirs);
        first.directory = shared;
        first.shared = true;
        first.now();
        Taking second = new Taking(ours);
        second.directory = shared;
        second.shared = true;
        fails(second::now, "another database of the name app", theirs.toString());
        Files.delete(theirs);
        assertThat(second.now().file()).exists();
    }

    @Test
    void aDatabaseWithACollationOfTheApplicationIsCopiedPageByPage() throws Exception {
        Path source = folder.resolve("app.db");
        try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite:" + source);
                Statement statement = connection.createStatement()) {
            Collation.create(connection, "mine", new Collation() {
                @Override
                protected int xCompare(String one, String other) {
                    return one.compareToIgnoreCase(other);
                }
            });
            statement.execute("PRAGMA journal_mode=WAL");
            statement.execute("CREATE TABLE names(name TEXT COLLATE mine PRIMARY KEY)");
            statement.execute("INSERT INTO names VALUES ('a'), ('B'), ('c')");
            statement.execute("CREATE TABLE plain(x)");
            statement.execute("INSERT INTO plain VALUES (1)");

            Backup backup = new Taking(source).now();

            assertThat(backup.facts().rows()).containsEntry("plain", 1L);
            assertThat(backup.facts().check()).contains("names");
        }
    }

    @Test
    void whereThereIsNoRoomItSaysHowMuchIsNeededAndLeavesNothingBehind() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 20_000);
        try (Mounted small = Mounted.tmpfs(folder.resolve("small"), "4m")) {
            Taking taking = new Taking(source);
            taking.directory = new BackupDirectory(small.point(), "app");
            fails(
                    taking::now,
                    small.point().toString(),
                    "bytes are free",
                    Files.size(source) + " are needed",
                    "sqlite.health.backup.directory");
            assertThat(names(small.point())).containsExactly("app.lock");
        }
    }

    @Test
    void aDiskThatFillsUpHalfWayLeavesNothingBehind() throws Exception {
        for (String mode : List.of("wal", "delete")) {
            Path source = Outside.database(folder.resolve(mode + ".db"), 100_000, mode);
            try (Mounted small = Mounted.tmpfs(folder.resolve("small-" + mode), "80m")) {
                Taking taking = new Taking(source);
                taking.directory = new BackupDirectory(small.point(), "app");
                CompletableFuture<Void> filling = CompletableFuture.runAsync(() -> {
                    await().pollInterval(Duration.ofMillis(1))
                            .until(() ->
                                    Stream.of(small.point().toFile().list()).anyMatch(name -> name.endsWith("tmp")));
                    try {
                        Outside.sh(
                                "dd if=/dev/zero of=\"$1\" bs=1M 2>/dev/null || true",
                                small.point().resolve("filling"));
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                });
                assertThatExceptionOfType(BackupFailedException.class).isThrownBy(taking::now);
                filling.join();
                assertThat(names(small.point())).containsExactlyInAnyOrder("app.lock", "filling");
            }
        }
    }

    @Test
    void onlyOneAtATimeTakesABackup() throws Exception {
        Path source = Outside.database(folder.resolve("app.db"), 10);
        Taking inner = new Taking(source);
        Taking outer = new Taking(source);
        boolean[] refused = {false};
        int[] asked = {0};
        outer.objection = () -> {
            if (asked[0]++ == 1) {
                try {
                    inner.now();
                } catch (BackupFailedException ex) {
                    refused[0] = ex.busy();
                }
            }
            return null;
        };
        Backup backup = outer.now();
        assertThat(refused[0]).isTrue();
        assertThat(directory(source).list()).containsExactly(backup);
    }

    private static BackupDirectory directory(Path source) {
        return new BackupDirectory(BackupDirectory.beside(source), "app");
    }

    private static void fails(ThrowingCallable taking, String... words) {
        assertThatExceptionOfType(BackupFailedException.class)
                .isThrownBy(taking)
                .satisfies(failure ->
                        assertThat(failure.getMessage()).contains(words).doesNotContain("\n"));
    }

    private static List<String> names(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(BackupsTest::name).toList();
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }
}
