package io.github.sqlitehealth.witness;

import static io.github.sqlitehealth.fixture.Scripted.error;
import static io.github.sqlitehealth.fixture.Scripted.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.OneConnection;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.fixture.Scripted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveWitnessTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void eachRowThatIsNotOkIsBadAlsoOneThatComesAfterAnOk() {
        assertThat(ask(new Scripted().always(rows("ok", "row 3 missing from index i")))
                        .bad())
                .isTrue();
        assertThat(ask(new Scripted().always(rows())).bad()).isTrue();
        assertThat(ask(new Scripted().always(rows("*** in database main ***\nPage 3: never used")))
                        .text())
                .isEqualTo("*** in database main *** Page 3: never used");
    }

    @Test
    void errorsAreJudgedByTheirPrimaryCode() {
        assertThat(code(11).bad()).isTrue();
        assertThat(code(26).bad()).isTrue();
        assertThat(code(779).bad()).as("CORRUPT_INDEX").isTrue();
        assertThat(code(5).reason()).isEqualTo(Reason.BUSY);
        assertThat(code(517).reason()).as("BUSY_SNAPSHOT").isEqualTo(Reason.BUSY);
        assertThat(code(6).reason()).isEqualTo(Reason.BUSY);
        assertThat(code(522).reason()).as("IOERR_SHORT_READ").isEqualTo(Reason.IO_ERROR);
        assertThat(code(14).reason()).isEqualTo(Reason.IO_ERROR);
        assertThat(code(1).reason()).isEqualTo(Reason.APPLICATION_ONLY);
        assertThat(code(13).reason()).isEqualTo(Reason.OTHER);
        assertThat(code(0).reason()).isEqualTo(Reason.OTHER);
        for (int code : new int[] {5, 6, 9, 10, 14, 1, 13, 522}) {
            assertThat(code(code).says()).as("code %s", code).isEqualTo(Answer.UNASKED);
        }
    }

    @Test
    void theWordsOfAMessageDecideNothing() {
        Scripted pool = new Scripted().always(error(5, "database disk image is malformed"));
        assertThat(ask(pool).bad()).isFalse();
    }

    @Test
    void aQuestionAboutTheHandleDoesNotDemoteAHealthyRead() {
        Said said = witness(LONG, new Scripted().pragma("data_version", "not a number"))
                .ask();
        assertThat(said.testimony().ok()).isTrue();
        assertThat(said.facts().error()).contains("NumberFormatException");
    }

    @Test
    void aPoolWithoutASpareConnectionIsNotAnAllClear() {
        assertThat(ask(new Scripted().exhausted(true)).reason()).isEqualTo(Reason.NO_CONNECTION);
    }

    @Test
    void aPoolThatHoldsNoConnectionHasNoneToAsk() {
        LiveHandles none = new LiveHandles() {
            @Override
            public @Nullable LiveHandle take(Set<String> not) {
                return null;
            }

            @Override
            public Set<String> open() {
                return Set.of();
            }

            @Override
            public boolean mayBeOpen() {
                return false;
            }
        };
        assertThat(ask(none).reason()).isEqualTo(Reason.NOT_YET);
        assertThat(witness(LONG, none, new Scripted().exhausted(true))
                        .ask()
                        .testimony()
                        .reason())
                .isEqualTo(Reason.NO_CONNECTION);
    }

    @Test
    void aConnectionThatFailedAndIsInUseNowIsNotForgotten() {
        Scripted pool = new Scripted().always(rows("bad"));
        Scripted other = new Scripted("other");
        LiveWitness witness = witness(LONG, pool, other);
        assertThat(witness.ask().testimony().bad()).isTrue();
        pool.exhausted(true);
        Testimony said = witness.ask().testimony();
        assertThat(said.says()).isEqualTo(Answer.UNASKED);
        assertThat(said.text()).contains("a connection that has failed is in use");
    }

    @Test
    void anErrorThatStaysOnOneConnectionIsNotHiddenByOthersThatHaveAllInTheirCaches() {
        Testimony said = witness(
                        LONG,
                        new Scripted(),
                        new Scripted().always(error(522, "short read")),
                        new Scripted().always(error(5, "busy")),
                        new Scripted())
                .ask()
                .testimony();
        assertThat(said.because(Reason.IO_ERROR)).isTrue();
    }

    @Test
    void aPageThatCouldNotBeReadIsNoDamageUnlessAnotherOneIs() {
        String unreadable = "Tree 2 page 7: unable to get the page. error code=522\nPage 9: never used";
        String damaged = "Tree 2 page 8: btreeInitPage() returns error code 11";
        assertThat(ask(new Scripted().always(rows(unreadable))).because(Reason.IO_ERROR))
                .isTrue();
        assertThat(ask(new Scripted().always(rows(unreadable + "\n" + damaged))).bad())
                .isTrue();
        assertThat(ask(new Scripted().always(rows("NULL value in error code 522 of t")))
                        .bad())
                .isTrue();
    }

    /** In one round, as long as there is time; none is asked twice. */
    @Test
    void everyConnectionOfAPoolThatCanBeSparedGetsItsTurn() {
        List<String> lent = new ArrayList<>();
        LiveHandles pool = new LiveHandles() {
            @Override
            public @Nullable LiveHandle take(Set<String> not) throws SQLException {
                for (String name : List.of("one", "two", "three")) {
                    if (!not.contains(name)) {
                        lent.add(name);
                        Scripted script = new Scripted();
                        LiveHandle handle = Objects.requireNonNull(
                                (name.equals("three") ? script.always(rows("row 3 missing")) : script).take(Set.of()));
                        return new LiveHandle(name, handle.connection(), true, handle::close);
                    }
                }
                return null;
            }

            @Override
            public Set<String> open() {
                return Set.of("one", "two", "three");
            }

            @Override
            public boolean mayBeOpen() {
                return true;
            }
        };
        assertThat(ask(pool).bad()).isTrue();
        assertThat(lent).startsWith("one", "two", "three");
    }

    @Test
    void oneBadConnectionOutweighsAnyNumberOfGoodOnes() {
        assertThat(witness(LONG, new Scripted(), new Scripted().always(rows("bad")), new Scripted())
                        .ask()
                        .testimony()
                        .bad())
                .isTrue();
    }

    @Test
    void secretsOfAUrlDoNotGetIntoTheText() {
        Testimony said = ask(new Scripted().always(error(14, "cannot open jdbc:sqlite:/a.db?cipher_key=secret (14)")));
        assertThat(said.text()).isEqualTo("cannot open jdbc:… (14)");
    }

    @Test
    void aPoolOfOneGoesTableByTableAndSaysHowMuchItHasCovered() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "wal", 2, 4000);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            LiveWitness witness = witness(Duration.ofMillis(400), new OneConnection(connection, false));
            List<String> said = new ArrayList<>();
            for (int check = 0; check < 6; check++) {
                long start = System.nanoTime();
                Testimony testimony = witness.ask().testimony();
                Duration away = Duration.ofNanos(System.nanoTime() - start);
                assertThat(away)
                        .as("its budget and a little, while the whole would take seconds")
                        .isLessThan(Duration.ofMillis(1500));
                boolean nothing = testimony.says() == Answer.UNASKED && testimony.because(Reason.INTERRUPTED);
                assertThat(testimony.ok() || nothing).as(testimony.text()).isTrue();
                said.add(testimony.text());
            }
            assertThat(said)
                    .as("never more than the two small ones")
                    .allMatch(text -> text.matches("(ok for [12]|no table fits into the time: 0) of 4 tables.*"))
                    .anyMatch(text -> text.matches("ok for [12] of 4 tables; not asked: slow[01]"));
        }
    }

    @Test
    void roundsGoOnWhereTheLastOneRanOutOfTime() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "wal", 6, 100);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            TableRound round = new TableRound(Timepiece.system());
            int passed = 0;
            int rounds = 0;
            while (passed < 8 && rounds++ < 100) {
                passed += round.run(connection, "main", PageCheck.QUICK, LONG, Duration.ofMillis(60), List.of())
                        .passed();
            }
            assertThat(rounds).isGreaterThan(1);
            assertThat(passed).as("each table once, none left out").isGreaterThanOrEqualTo(8);
        }
    }

    @Test
    void tablesOfWhichNoneFitsAreNoAllClear() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "wal", 1, 20_000);
        Outside.sqlite3(file, "DROP TABLE w");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            TableRound.Outcome outcome = new TableRound(Timepiece.system())
                    .run(connection, "main", PageCheck.QUICK, LONG, Duration.ofMillis(100), List.of("sqlite_schema"));
            assertThat(outcome.covered("ok for ").ok()).isFalse();
            assertThat(outcome.covered("ok for ").says()).isEqualTo(Answer.UNASKED);
        }
    }

    @Test
    void rowsThatBreakACheckConstraintAreNoDamageAndTheConstraintIsKept() throws Exception {
        Path file = folder.resolve("a.db");
        Outside.sqlite3(
                file,
                "PRAGMA journal_mode=wal; CREATE TABLE c(a CHECK (a > 0)); PRAGMA ignore_check_constraints=1;"
                        + " INSERT INTO c VALUES (-1)");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            Testimony live = ask(new OneConnection(connection, true));
            Testimony fresh = new FreshWitness(file, Timepiece.system())
                    .ask(Check.QUICK, LONG, LONG)
                    .testimony();
            assertThat(live.ok()).as(live.text()).isTrue();
            assertThat(fresh.ok()).isTrue();
            assertThatThrownBy(() -> statement.execute("INSERT INTO c VALUES (-2)"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("CHECK");
            statement.execute("PRAGMA ignore_check_constraints=ON");
            ask(new OneConnection(connection, true));
            assertThat(HandleFacts.text(connection, "main", "ignore_check_constraints"))
                    .isEqualTo("1");
        }
    }

    @Test
    void whatAWriterCanBearIsHalfOfTheBusyTimeOutAndAnyTimeInWalMode() throws Exception {
        Path rollback = Outside.database(folder.resolve("a.db"), 3, "delete");
        Path wal = Outside.database(folder.resolve("b.db"), 3);
        assertThat(bearable(rollback, 5000)).isEqualTo(Duration.ofMillis(2500));
        assertThat(bearable(rollback, 0)).isZero();
        assertThat(bearable(wal, 0)).isEqualTo(Bearable.UNBOUNDED);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + rollback + "?busy_timeout=0")) {
            LiveWitness witness = witness(LONG, new OneConnection(connection, true));
            assertThat(witness.bearable()).as("before anybody was asked").isEqualTo(Bearable.ASSUMED);
            assertThat(witness.ask().testimony().reason()).isEqualTo(Reason.NOT_SUPPORTED);
            assertThat(witness.bearable()).isZero();
        }
    }

    @Test
    void theLeastPatientConnectionSetsTheBound() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 3, "delete");
        try (Connection patient = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=9000");
                Connection impatient = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=400")) {
            LiveWitness witness = witness(LONG, new OneConnection(impatient, true), new OneConnection(patient, true));
            assertThat(witness.ask().testimony().ok()).isTrue();
            assertThat(witness.bearable()).isEqualTo(Duration.ofMillis(200));
        }
    }

    /** Another process writes without a pause, while one check after the other reads the database. */
    @Test
    void withoutWalAWriterInAnotherProcessNeverSeesBusy() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "delete", 3, 3000);
        StringBuilder writes = new StringBuilder();
        for (int row = 0; row < 10; row++) {
            writes.append("INSERT INTO w VALUES (" + row + ");\n.shell sleep 0.05\n");
        }
        Path script = folder.resolve("writes.sql");
        Files.writeString(script, ".timeout 1000\n" + writes);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=1000")) {
            connection.setAutoCommit(false);
            Process writer = new ProcessBuilder(
                            "sh", "-c", "sqlite3 \"$1\" < \"$2\" 2>&1", "sh", file.toString(), script.toString())
                    .start();
            LiveWitness live = witness(LONG, new OneConnection(connection, true));
            FreshWitness fresh = new FreshWitness(file, Timepiece.system());
            int checks = 0;
            do {
                assertThat(live.ask().testimony().bad()).isFalse();
                fresh.ask(Check.QUICK, live.bearable(), Duration.ofSeconds(2));
                checks++;
            } while (!writer.waitFor(1, TimeUnit.MILLISECONDS));
            assertThat(new String(writer.getInputStream().readAllBytes())).isEmpty();
            assertThat(checks).isPositive();
        }
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM w")).isEqualTo("10");
    }

    private static Duration bearable(Path file, int busyTimeout) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=" + busyTimeout)) {
            return Bearable.hold(connection, "main");
        }
    }

    private static Testimony code(int code) {
        return ask(new Scripted().always(error(code, "some words")));
    }

    private static Testimony ask(LiveHandles handles) {
        return witness(Duration.ofSeconds(1), handles).ask().testimony();
    }

    private static LiveWitness witness(Duration budget, LiveHandles... handles) {
        return new LiveWitness(
                List.of(handles), new ReadLimits(LONG, budget, Duration.ofSeconds(60), 2), Timepiece.system());
    }
}
