package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.fixture.Outside;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageCheckTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void aSoundDatabasePassesBothChecks() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        try (Connection connection = FreshConnections.open(file)) {
            assertThat(PageCheck.QUICK.whole(connection, "main", LONG)).isEqualTo(Reading.OK);
            assertThat(PageCheck.FULL.whole(connection, "main", LONG)).isEqualTo(Reading.OK);
            assertThat(PageCheck.QUICK.table(connection, "main", "t", LONG)).isEqualTo(Reading.OK);
        }
    }

    /** As two pooled connections of a gateway do, one of which has searched before the other went on writing. */
    @Test
    void segmentsOfAFullTextIndexThatSomebodyElseHasMergedAreNoDamage() throws Exception {
        String url = "jdbc:sqlite:" + folder.resolve("fts.db");
        try (Connection one = DriverManager.getConnection(url);
                Connection other = DriverManager.getConnection(url);
                Statement mine = one.createStatement();
                Statement theirs = other.createStatement()) {
            mine.execute("PRAGMA journal_mode=WAL");
            mine.execute("CREATE VIRTUAL TABLE f USING fts5(body)");
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 20; i++) {
                    theirs.execute("INSERT INTO f VALUES ('hello world number " + round + " " + i + "')");
                }
                theirs.execute("INSERT INTO f(f) VALUES ('optimize')");
                assertThat(PageCheck.QUICK.whole(one, "main", LONG)).isEqualTo(Reading.OK);
                assertThat(PageCheck.FULL.table(one, "main", "f", LONG)).isEqualTo(Reading.OK);
            }
            assertThat(one.getAutoCommit()).isTrue();
            mine.execute("BEGIN"); // No transaction is left open.
            mine.execute("ROLLBACK");
        }
    }

    @Test
    void aDamagedPageIsToldInOneLine() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 1000);
        Outside.damage(file, "t");
        try (Connection connection = FreshConnections.open(file)) {
            Reading reading = PageCheck.QUICK.whole(connection, "main", LONG);
            assertThat(reading.bad()).isTrue();
            assertThat(reading.text()).doesNotContain("\n").hasSizeLessThan(310);
        }
    }

    @Test
    void theQuickCheckDoesNotSeeWrongValuesInAnIndexAndTheFullOneDoes() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 50);
        Outside.sqlite3(
                file,
                "CREATE TABLE k(a, b); INSERT INTO k SELECT id, -id FROM t; CREATE INDEX i ON k(a);"
                        + " PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='CREATE INDEX i ON k(b)' WHERE name='i'");
        try (Connection connection = FreshConnections.open(file)) {
            assertThat(PageCheck.QUICK.whole(connection, "main", LONG).ok()).isTrue();
            assertThat(PageCheck.FULL.whole(connection, "main", LONG).bad()).isTrue();
        }
    }

    @Test
    void aDamagedFreelistBelongsToTheTableOfTheSchema() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 2000);
        Outside.sqlite3(file, "CREATE TABLE keep(x); DELETE FROM t; PRAGMA wal_checkpoint(TRUNCATE)");
        // The first trunk of the list, at offset 32 of the header, becomes a page that there is not.
        Outside.sh("printf '\\000\\000\\177\\377' | dd of=\"$1\" bs=1 seek=32 conv=notrunc status=none", file);
        try (Connection connection = FreshConnections.open(file)) {
            assertThat(PageCheck.tables(connection, "main")).containsExactly("sqlite_schema", "t", "keep");
            assertThat(PageCheck.QUICK.table(connection, "main", "t", LONG).ok())
                    .isTrue();
            assertThat(PageCheck.QUICK
                            .table(connection, "main", "sqlite_schema", LONG)
                            .bad())
                    .isTrue();
        }
    }

    @Test
    void anAttachedDatabaseIsNotChecked() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10);
        Path other = Outside.database(folder.resolve("other.db"), 10);
        Outside.damage(other, "t");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("ATTACH '" + other + "' AS other");
            assertThat(PageCheck.QUICK.whole(connection, "main", LONG).ok()).isTrue();
        }
    }

    @Test
    void namesOfTablesAreQuoted() throws Exception {
        Path file = folder.resolve("a.db");
        Outside.sqlite3(file, "CREATE TABLE \"we\"\"ird; --'\"(a); INSERT INTO \"we\"\"ird; --'\" VALUES (1)");
        try (Connection connection = FreshConnections.open(file)) {
            String name = PageCheck.tables(connection, "main").get(1);
            assertThat(PageCheck.QUICK.table(connection, "main", name, LONG).ok())
                    .isTrue();
            assertThat(Content.of(connection, 1, ContentRules.NONE).filled()).containsExactly(name);
        }
    }

    @Test
    void atItsTimeOutACheckIsInterruptedAndLeavesTheConnectionUsableAndNothingLocked() throws Exception {
        Path file = Outside.slow(folder.resolve("a.db"), "delete", 1, 40_000);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            long start = System.nanoTime();
            Reading reading = PageCheck.QUICK.whole(connection, "main", Duration.ofMillis(100));
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(90), Duration.ofSeconds(3));
            assertThat(reading.because(Reason.INTERRUPTED)).as(reading.text()).isTrue();
            assertThat(reading.bad()).isFalse();
            // Another process could not write if the read lock were still there.
            Outside.sqlite3(file, "INSERT INTO w VALUES (1)");
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT count(*) FROM w")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(1);
            }
        }
    }

    /** As on a machine that stands still for a moment: the time is up before SQLite has begun. */
    @Test
    @SuppressWarnings("try") // the deadline is there to be closed
    void aTimeOutThatComesBeforeTheStatementHasBegunIsNotLost() throws Exception {
        String endless =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT sum(i) FROM n";
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
                Statement statement = connection.createStatement();
                Deadline deadline = new Deadline(statement, Duration.ofMillis(1))) {
            Thread.sleep(20);
            assertThatThrownBy(() -> statement.executeQuery(endless))
                    .isInstanceOf(SQLException.class)
                    .satisfies(
                            ex -> assertThat(((SQLException) ex).getErrorCode()).isEqualTo(9));
        }
    }

    /** The cancel of a check that is just about to end must not reach what the application does next. */
    @Test
    void aLateCancelNeverHitsTheNextStatement() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 4000);
        String work =
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT sum(i) FROM n";
        int interrupted = 0;
        int passed = 0;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            for (int round = 0; round < 600; round++) {
                Reading reading = PageCheck.QUICK.whole(connection, "main", Duration.ofMillis(1 + round % 4));
                interrupted += reading.because(Reason.INTERRUPTED) ? 1 : 0;
                passed += reading.ok() ? 1 : 0;
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(work)) {
                    assertThat(rows.next()).isTrue();
                }
            }
        }
        assertThat(interrupted + passed).isEqualTo(600);
    }

    @Test
    void aDeadlineThatIsClosedCancelsNothingAnyMore() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
                Statement statement = connection.createStatement()) {
            Deadline deadline = new Deadline(statement, LONG);
            deadline.close();
            Thread canceller = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    deadline.cancel();
                    RunningRead.cancel(Thread.currentThread());
                }
            });
            canceller.start();
            try (ResultSet rows = statement.executeQuery(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT sum(i) FROM n")) {
                assertThat(rows.next()).isTrue();
            } finally {
                canceller.interrupt();
                canceller.join();
            }
        }
    }

    @Test
    void withAutocommitOffNoTransactionStaysOpenBehindACheck() throws Exception {
        Path file = Outside.database(folder.resolve("a.db"), 10, "delete");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.setAutoCommit(false);
            for (PageCheck check : List.of(PageCheck.QUICK, PageCheck.FULL)) {
                assertThat(check.whole(connection, "main", LONG).ok()).isTrue();
                Outside.sqlite3(file, "PRAGMA busy_timeout=0; BEGIN EXCLUSIVE; DELETE FROM t WHERE id = 1; COMMIT");
                assertThat(check.table(connection, "main", "t", LONG).ok()).isTrue();
                Outside.sqlite3(file, "PRAGMA busy_timeout=0; BEGIN EXCLUSIVE; DELETE FROM t WHERE id = 2; COMMIT");
            }
            assertThat(connection.getAutoCommit()).isFalse();
        }
    }
}
