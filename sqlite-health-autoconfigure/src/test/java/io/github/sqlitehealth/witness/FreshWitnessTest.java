package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.OneConnection;
import io.github.sqlitehealth.fixture.Outside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.Collation;
import org.sqlite.Function;

class FreshWitnessTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void aSoundDatabaseIsOkAndTellsItsFacts() throws Exception {
        Path file = Outside.database(folder.resolve("a ?#%20é.db"), 10);
        Said said = new FreshWitness(file, Timepiece.system()).ask(Check.FULL, LONG, LONG);
        assertThat(said.testimony().ok()).isTrue();
        assertThat(Objects.requireNonNull(said.facts().value()).journalMode()).isEqualTo("wal");
    }

    @Test
    void aFileThatIsNotThereIsNeverCreated() {
        Path file = folder.resolve("none.db");
        assertThat(ask(file, Check.QUICK).because(Reason.IO_ERROR)).isTrue();
        assertThat(file).doesNotExist();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void anEmptyFileAcquitsNobody() throws Exception {
        Path file = Files.createFile(folder.resolve("empty.db"));
        Testimony said = ask(file, Check.QUICK);
        assertThat(said.says()).isEqualTo(Answer.UNASKED);
        assertThat(said.reason()).isEqualTo(Reason.EMPTY);
    }

    @Test
    void aHeaderThatIsZeroedIsBad() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        Outside.sh("dd if=/dev/zero of=\"$1\" bs=100 count=1 conv=notrunc status=none", file);
        assertThat(ask(file, Check.QUICK).bad()).isTrue();
        assertThat(ask(file, Check.FULL).bad()).isTrue();
    }

    @Test
    void aFileCutToHalfIsBad() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 1000);
        Outside.sh("truncate -s $(($(stat -c %s \"$1\") / 2 / 4096 * 4096)) \"$1\"", file);
        assertThat(ask(file, Check.QUICK).bad()).isTrue();
    }

    /** Incident 34. */
    @ParameterizedTest
    @EnumSource(
            value = Check.class,
            names = {"QUICK", "FULL"})
    void aCollationThatOnlyTheApplicationHasIsNoDamage(Check check) throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        try (Connection connection = withCollation(file)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE c(x TEXT COLLATE backwards UNIQUE)");
                statement.execute("INSERT INTO c VALUES ('a'), ('b'), ('c')");
            }
            assertNotBad(ask(file, check));
            assertThat(live(connection).ok()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Check.class,
            names = {"QUICK", "FULL"})
    void aFunctionThatOnlyTheApplicationHasIsNoDamage(Check check) throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        try (Connection connection = withFunction(file)) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE INDEX f ON t(twice(id))");
            }
            assertNotBad(ask(file, check));
            assertThat(live(connection).ok()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Check.class,
            names = {"QUICK", "FULL"})
    void aTokenizerThatOnlyTheApplicationHasIsNoDamage(Check check) throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        Outside.sqlite3(
                file,
                "CREATE VIRTUAL TABLE v USING fts5(x, tokenize='porter'); INSERT INTO v VALUES ('one two');"
                        + " PRAGMA writable_schema=ON;"
                        + " UPDATE sqlite_schema SET sql=replace(sql, 'porter', 'of_our_own') WHERE name='v'");
        Testimony said = ask(file, check);
        assertNotBad(said);
        // The schema, t, v and what belongs to v.
        assertThat(said.text()).isEqualTo("only 7 of 8 tables; not asked: v");
    }

    @ParameterizedTest
    @EnumSource(
            value = Check.class,
            names = {"QUICK", "FULL"})
    void aModuleThatOnlyTheApplicationHasIsNoDamage(Check check) throws Exception {
        Path file = withUnknownModule();
        assertNotBad(ask(file, check));
    }

    @Test
    void whatOnlyTheApplicationHasHidesNoDamageBesideIt() throws Exception {
        Path file = withUnknownModule();
        Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        Outside.damage(file, "t");
        assertThat(ask(file, Check.QUICK).bad()).isTrue();
        assertThat(ask(file, Check.FULL).bad()).isTrue();
    }

    @Test
    void aLockOfAnotherProcessIsNoDamage() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10, "delete");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN EXCLUSIVE");
            assertThat(ask(file, Check.QUICK).because(Reason.BUSY)).isTrue();
        }
    }

    /** Incident 11, on a real file: the one who holds the lock reads the damage, and nobody else can look. */
    @Test
    void aConnectionThatHoldsTheFileForItselfLeavesNoSecondOpinion() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 1000, "delete");
        Outside.damage(file, "t");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA locking_mode=EXCLUSIVE");
            statement.execute("BEGIN EXCLUSIVE; COMMIT");
            assertThat(live(connection).bad()).isTrue();
            assertThat(ask(file, Check.QUICK).because(Reason.BUSY)).isTrue();
        }
    }

    @Test
    void inWalModeALongCheckIsOneReadHoweverLittleAWriterCouldBear() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "wal", 1, 400);
        Testimony said = new FreshWitness(file, Timepiece.system())
                .ask(Check.QUICK, Duration.ofMillis(1), LONG)
                .testimony();
        assertThat(said.ok()).as(said.text()).isTrue();
        assertThat(said.text()).isEqualTo("ok");
    }

    @Test
    void withoutWalNoReadIsLongerThanAWriterCanBear() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "delete", 3, 300);
        FreshWitness witness = new FreshWitness(file, Timepiece.system());
        Testimony said = witness.ask(Check.QUICK, Duration.ofMillis(20), LONG).testimony();
        assertThat(said.says()).as(said.text()).isEqualTo(Answer.UNASKED);
        assertThat(said.text()).isEqualTo("only 2 of 5 tables; not asked: slow0, slow1, slow2");
        assertThat(witness.ask(Check.QUICK, Duration.ofSeconds(20), LONG)
                        .testimony()
                        .ok())
                .isTrue();
    }

    @Test
    void withoutWalAndWithoutABusyTimeOutNothingIsAsked() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10, "delete");
        Testimony said = new FreshWitness(file, Timepiece.system())
                .ask(Check.QUICK, Duration.ZERO, LONG)
                .testimony();
        assertThat(said.reason()).isEqualTo(Reason.NOT_SUPPORTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b.db", "é.db", "100%25.db", "q?mode=memory.db", "#.db", "+&=;'.db"})
    void everyPathIsEscapedSoThatTheFileItselfIsOpened(String name) throws Exception {
        Path file = Outside.database(folder.resolve(name), 3, "delete");
        try (Connection connection = FreshConnections.open(file)) {
            assertThat(Content.of(connection, 1, ContentRules.NONE).filled()).containsExactly("t");
            for (String write :
                    List.of("INSERT INTO t VALUES (99, 'x')", "CREATE TABLE x(a)", "PRAGMA user_version=7")) {
                assertThatThrownBy(() -> connection.createStatement().execute(write))
                        .as(write)
                        .hasMessageContaining("READONLY");
            }
        }
        try (var files = Files.list(folder)) {
            assertThat(files).as("none was created beside it").containsExactly(file);
        }
    }

    private Path withUnknownModule() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        Outside.sqlite3(
                file,
                "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES"
                        + " ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING module_of_our_own(x)')");
        return file;
    }

    private static Testimony ask(Path file, Check check) {
        return new FreshWitness(file, Timepiece.system()).ask(check, LONG, LONG).testimony();
    }

    private static Testimony live(Connection connection) {
        ReadLimits limits = new ReadLimits(LONG, Duration.ofSeconds(1), LONG, 2);
        return new LiveWitness(List.of(new OneConnection(connection, true)), limits, Timepiece.system())
                .ask()
                .testimony();
    }

    private static void assertNotBad(Testimony said) {
        assertThat(said.bad()).as(said.text()).isFalse();
        assertThat(said.ok() || said.because(Reason.APPLICATION_ONLY))
                .as("%s: %s", said.reason(), said.text())
                .isTrue();
    }

    private static Connection withCollation(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Collation.create(connection, "backwards", new Collation() {
            @Override
            protected int xCompare(String one, String other) {
                return other.compareTo(one);
            }
        });
        return connection;
    }

    private static Connection withFunction(Path file) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Function.create(
                connection,
                "twice",
                new Function() {
                    @Override
                    protected void xFunc() throws SQLException {
                        result(2 * value_int(0));
                    }
                },
                1,
                Function.FLAG_DETERMINISTIC);
        return connection;
    }
}
