package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real connections of this process on real files. */
class IdentityWitnessTest {

    private static final Path PROC = Path.of("/proc");

    @TempDir
    Path folder;

    private Path file;
    private Path wal;
    private Path shm;

    @BeforeEach
    void aDatabase() throws Exception {
        file = Outside.database(folder.resolve("app #1%20é.db"), 10);
        wal = DatabaseFile.WAL.beside(file);
        shm = DatabaseFile.SHM.beside(file);
    }

    @Test
    void whatIsHeldIsWhatIsThere() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            Testimony said = watching.look();
            assertThat(said.ok()).isTrue();
            assertThat(said.text()).isEqualTo("the files held are the files at the paths");
            insert(connection);
            assertThat(watching.look().ok()).isTrue();
        }
    }

    @Test
    void withoutAConnectionNothingIsHeld() throws Exception {
        try (Watching watching = new Watching(file)) {
            assertThat(watching.look().text()).isEqualTo("nothing is held");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-wal", "-shm", "-wal -shm"})
    void aSidecarThatIsRemovedIsStale(String suffixes) throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            for (String suffix : suffixes.split(" ")) {
                Files.delete(Path.of(file + suffix));
            }
            Testimony said = watching.look();
            assertStale(said);
            for (String suffix : suffixes.split(" ")) {
                assertThat(said.text()).contains(suffix.substring(1) + ": inode");
            }
            insert(connection);
            assertThat(watching.look().text()).as("nothing has changed since").isEqualTo(said.text());
            assertThat(watching.witness.changes()).containsEntry(DatabaseFile.MAIN, 0L);
            assertThat(watching.witness.changes().values().stream()
                            .mapToLong(count -> count)
                            .sum())
                    .isEqualTo(suffixes.split(" ").length);
        }
    }

    /** Incident 3: the sidecars are there, and they are others. */
    @Test
    void sidecarsThatAreReplacedAreStale() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            String held = inode(wal);
            Files.delete(wal);
            Files.delete(shm);
            String sql = "PRAGMA busy_timeout=2000; SELECT count(*) FROM t";
            Outside.sh("sqlite3 \"$1\" \"$2\" '.shell sleep 0' > /dev/null; touch \"$1-wal\"", file, sql);
            Testimony said = watching.look();
            assertStale(said);
            assertThat(said.text()).contains("wal: inode " + held + " is held", "the path has inode " + inode(wal));
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void aMainFileThatIsReplacedByARenameIsStale() throws Exception {
        Path other = Outside.database(folder.resolve("other.db"), 3);
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            Testimony said = watching.look();
            assertStale(said);
            assertThat(said.text()).contains("main: inode", "the path has inode " + inode(file));
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void aMainFileThatIsUnlinkedIsStaleAndNotMerelyMissing() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            Files.delete(file);
            Testimony said = watching.look();
            assertStale(said);
            assertThat(said.text()).contains("main: inode", "nothing is at the path");
            assertThat(connection.isClosed()).isFalse();
        }
    }

    /** The descriptor shows the new name. */
    @Test
    void aMainFileThatIsRenamedAwayIsStale() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            Files.move(file, folder.resolve("moved.db"));
            assertStale(watching.look());
            assertThat(connection.isClosed()).isFalse();
        }
    }

    /** Incident 5. */
    @Test
    void aSwapBeforeTheFirstLookIsFoundByTheFirstLook() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            Files.delete(wal);
            Files.delete(shm);
            assertStale(watching.look());
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void onceTheStaleConnectionIsClosedAllIsWell() throws Exception {
        try (Watching watching = new Watching(file)) {
            try (Connection connection = writing()) {
                watching.look();
                Files.delete(wal);
                assertStale(watching.look());
                assertThat(connection.isClosed()).isFalse();
            }
            assertThat(watching.look().ok()).isTrue();
            try (Connection connection = writing()) {
                assertThat(watching.look().ok()).isTrue();
                assertThat(connection.isClosed()).isFalse();
            }
        }
    }

    /** The names come back, and what was opened meanwhile does not go away by that. */
    @Test
    void filesThatAreMovedAwayAndBackAreStaleForWhoeverOpenedTheOthersMeanwhile() throws Exception {
        Path aside = folder.resolve("aside-wal");
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            Files.move(wal, aside);
            Files.writeString(wal, "");
            assertStale(watching.look());
            try (var meanwhile = Files.newInputStream(wal)) {
                Files.move(aside, wal, StandardCopyOption.REPLACE_EXISTING);
                assertStale(watching.look());
                assertThat(meanwhile.read()).isEqualTo(-1);
            }
            assertThat(watching.look().ok()).isTrue();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    /** Incident 31. */
    @Test
    void aPoolWhoseLastConnectionClosesAndOpensAgainIsNoAlarm() throws Exception {
        try (Watching watching = new Watching(file)) {
            for (int life = 0; life < 10; life++) {
                try (Connection connection = writing()) {
                    assertThat(watching.look().ok()).isTrue();
                    // A file that takes the inode numbers that have become free.
                    Files.writeString(folder.resolve("log-" + life), "x");
                    assertThat(connection.isClosed()).isFalse();
                }
                assertThat(wal).doesNotExist();
                try (var log = Files.newInputStream(folder.resolve("log-" + life))) {
                    assertThat(watching.look().ok()).as(watching.look().text()).isTrue();
                    assertThat(log.read()).isEqualTo('x');
                }
            }
            assertThat(watching.witness.changes().values()).containsOnly(0L);
        }
    }

    @Test
    void afterTheLastConnectionHasClosedAFileWithTheNumberOfTheWalIsNoAlarm() throws Exception {
        try (Watching watching = new Watching(file)) {
            String number;
            try (Connection connection = writing()) {
                watching.look();
                number = inode(wal);
                // Under this name it will be held by somebody else.
                Files.createLink(folder.resolve("log"), wal);
                assertThat(connection.isClosed()).isFalse();
            }
            assertThat(wal).doesNotExist();
            try (var log = Files.newInputStream(folder.resolve("log"))) {
                assertThat(inode(folder.resolve("log"))).isEqualTo(number);
                assertThat(watching.look().ok()).as(watching.look().text()).isTrue();
                assertThat(log.available()).isNotNegative();
            }
        }
    }

    @Test
    void aFirstLookThatTheSecondDoesNotConfirmIsNoFinding() throws Exception {
        try (Watching watching = new Watching(file)) {
            Look first;
            try (Connection connection = writing()) {
                watching.look();
                Files.delete(wal);
                first = watching.witness.look();
                assertThat(watching.witness.needsSecondLook(first)).isTrue();
                assertThat(connection.isClosed()).isFalse();
            }
            Testimony said = watching.witness.say(first, watching.witness.look(), watching.time.now());
            assertThat(said.ok()).isTrue();
            assertThat(watching.witness.changes().values()).containsOnly(0L);
        }
    }

    @Test
    void whatIsKnownToBeStaleNeedsNoSecondLook() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            Files.delete(wal);
            assertStale(watching.look());
            assertThat(watching.witness.needsSecondLook(watching.witness.look()))
                    .isFalse();
            Files.delete(shm);
            assertThat(watching.witness.needsSecondLook(watching.witness.look()))
                    .isTrue();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void aFileThatNobodyHasSeenYetIsAwaitedAndOneThatWasSeenIsMissed() throws Exception {
        Path later = folder.resolve("later.db");
        try (Watching watching = new Watching(later)) {
            assertThat(watching.look()).satisfies(said -> {
                assertThat(said.says()).isEqualTo(Answer.UNASKED);
                assertThat(said.reason()).isEqualTo(Reason.NOT_YET);
            });
            Outside.database(later, 1);
            assertThat(watching.look().ok()).isTrue();
            Files.delete(later);
            assertThat(watching.look()).satisfies(said -> {
                assertThat(said.says()).isEqualTo(Answer.BAD);
                assertThat(said.reason()).isEqualTo(Reason.NO_FILE);
            });
        }
        try (Watching watching = new Watching(later, PROC, "lsof", true)) {
            assertThat(watching.look().because(Reason.NO_FILE)).isTrue();
        }
    }

    /** Cut by another process, to a size that keeps the mapped pages: whoever touches one that is gone dies of SIGBUS. */
    @Test
    void aShmThatShrinksInPlaceUnderTheAnchorIsStale() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.anchor.open();
            assertThat(watching.anchor.isOpen()).isTrue();
            assertThat(watching.look().ok()).isTrue();
            long size = Objects.requireNonNull(FileFacts.of(shm)).size();
            Outside.run("truncate", "-s", "+4096", shm.toString());
            assertThat(watching.look().ok())
                    .as("that it grows is the way of the world")
                    .isTrue();
            Outside.run("truncate", "-s", Long.toString(size), shm.toString());
            Testimony said = watching.look();
            assertStale(said);
            assertThat(said.text()).contains("shm: inode " + inode(shm) + " was cut short in place");
            assertStale(watching.look());
            watching.anchor.close();
            assertThat(watching.look().ok()).as("another life has begun").isTrue();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void aShmThatShrinksWhileNoAnchorIsOpenTellsNothing() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            long size = Objects.requireNonNull(FileFacts.of(shm)).size();
            Outside.run("truncate", "-s", "+4096", shm.toString());
            watching.look();
            Outside.run("truncate", "-s", Long.toString(size), shm.toString());
            assertThat(watching.look().ok()).isTrue();
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void descriptorsAreReadOnceAMinuteToBeSure() throws Exception {
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            watching.look();
            Look cheap = watching.witness.look();
            assertThat(cheap.files()).containsKey(DatabaseFile.MAIN);
            // A stale descriptor that no stat can show: the file was swapped away and back between two looks.
            Path aside = folder.resolve("aside");
            Files.move(wal, aside);
            Files.writeString(wal, "");
            try (var meanwhile = Files.newInputStream(wal)) {
                Files.move(aside, wal, StandardCopyOption.REPLACE_EXISTING);
                assertThat(watching.look().ok()).isTrue();
                watching.time.pass(Duration.ofMinutes(1));
                assertStale(watching.look());
                assertThat(meanwhile.read()).isEqualTo(-1);
            }
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-wal", "-shm", ""})
    void withProcHiddenTheBaselineAndLsofFindIt(String suffix) throws Exception {
        Outside.need("lsof");
        try (Connection connection = writing();
                Watching watching = new Watching(file, noProc(), "lsof", false)) {
            assertThat(watching.look().ok()).isTrue();
            Files.delete(Path.of(file + suffix));
            assertStale(watching.look());
            assertStale(watching.look());
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void withProcHiddenAPoolThatOpensAgainIsNoAlarm() throws Exception {
        Outside.need("lsof");
        try (Watching watching = new Watching(file, noProc(), "lsof", false)) {
            for (int life = 0; life < 3; life++) {
                try (Connection connection = writing()) {
                    assertThat(watching.look().ok()).isTrue();
                    assertThat(connection.isClosed()).isFalse();
                }
                assertThat(watching.look().ok()).isTrue();
            }
        }
    }

    @Test
    void withoutProcAndLsofTheAnchorIsTheWitness() throws Exception {
        try (Connection connection = writing();
                Watching watching =
                        new Watching(file, noProc(), folder.resolve("no-lsof").toString(), false)) {
            watching.look();
            watching.anchor.open();
            assertThat(watching.look().ok()).isTrue();
            Files.delete(wal);
            assertStale(watching.look());
            assertStale(watching.look());
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void withoutProcLsofAndAnchorItSaysThatItCannotTell() throws Exception {
        try (Connection connection = writing();
                Watching watching =
                        new Watching(file, noProc(), folder.resolve("no-lsof").toString(), false)) {
            watching.look();
            Files.delete(wal);
            Testimony said = watching.look();
            assertThat(said.says()).isEqualTo(Answer.UNASKED);
            assertThat(said.reason()).isEqualTo(Reason.NOT_SUPPORTED);
            assertThat(said.text()).contains("whether the old ones are held cannot be seen", "no-lsof");
            assertThat(connection.isClosed()).isFalse();
        }
    }

    /** Where a file system gives the number of the lost -wal to the next file, which is one that we hold, too. */
    @Test
    void aNumberThatIsGivenAgainAfterTheWalModeWasLeftIsNoAlarm() throws Exception {
        List<OutputStream> others = new ArrayList<>();
        try (Connection connection = writing();
                Watching watching = new Watching(file)) {
            boolean again = false;
            for (int attempt = 0; !again && attempt < 100; attempt++) {
                execute(connection, "PRAGMA journal_mode=WAL");
                insert(connection);
                assertThat(watching.look().ok()).isTrue();
                String number = inode(wal);
                execute(connection, "PRAGMA journal_mode=DELETE");
                Path other = folder.resolve("other-" + attempt);
                others.add(Files.newOutputStream(other));
                again = inode(other).equals(number);
                Testimony said = watching.look();
                assertThat(said.ok()).as(said.text()).isTrue();
            }
            assumeTrue(again, "this file system gives no number again, so this cannot be acted");
        } finally {
            for (OutputStream other : others) {
                other.close();
            }
        }
    }

    private Path noProc() throws Exception {
        return Files.createDirectories(folder.resolve("no-proc"));
    }

    private Connection writing() throws Exception {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        insert(connection);
        return connection;
    }

    private static void insert(Connection connection) throws Exception {
        execute(connection, "INSERT INTO t(body) VALUES ('x')");
    }

    private static void execute(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String inode(Path path) throws Exception {
        FileId id = Objects.requireNonNull(
                Objects.requireNonNull(FileFacts.of(path)).id());
        return Long.toString(id.inode());
    }

    private static void assertStale(Testimony said) {
        assertThat(List.of(said.says(), said.reason()))
                .as(said.text())
                .isEqualTo(List.of(Answer.BAD, Reason.STALE_FILES));
    }
}
