package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.Outside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was seen by one process and what the next one finds, on real files. */
class ContentWitnessTest {

    private static final String SCHEMA = "CREATE TABLE orders(id INTEGER PRIMARY KEY, body TEXT);"
            + " CREATE TABLE lines(id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE empty(x);";

    private static final String ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
            + " INSERT INTO orders(body) SELECT hex(zeroblob(200)) FROM n; INSERT INTO lines(body) SELECT body FROM orders;";

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void whatWasThere() {
        file = folder.resolve("app.db");
    }

    @Test
    void whatIsStillThereIsOk() throws Exception {
        Content before = filled("");
        assertThat(now(before).ok()).isTrue();
        assertThat(before.tables()).containsExactly("empty", "lines", "orders");
        assertThat(before.filled()).containsExactly("lines", "orders");
    }

    @Test
    void aDatabaseThatIsSeenForTheFirstTimeIsOkHoweverEmpty() throws Exception {
        Outside.sqlite3(file, SCHEMA);
        assertThat(witness(Optional.empty()).ask().ok()).isTrue();
    }

    @Test
    void aFileOfNoBytesIsEmptied() throws Exception {
        Content before = filled("");
        Outside.sh(": > \"$1\"", file);
        assertEmptied(now(before), "the database is empty; it had");
    }

    @Test
    void aFileThatWasCutAndGotItsTablesAnewIsEmptied() throws Exception {
        Content before = filled("");
        Outside.sh(": > \"$1\"", file);
        Outside.sqlite3(file, SCHEMA);
        assertEmptied(now(before), "no rows any more in 2 of 2 tables");
    }

    @Test
    void aNewFileWithTheTablesAnewIsEmptied() throws Exception {
        Content before = filled("");
        Files.delete(file);
        Outside.sqlite3(file, SCHEMA);
        assertEmptied(now(before), "no rows any more");
    }

    @Test
    void anEmptyFileInItsPlaceIsEmptied() throws Exception {
        Content before = filled("");
        Path other = folder.resolve("other.db");
        Outside.sqlite3(other, "PRAGMA user_version=1");
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        assertEmptied(now(before), "all 3 tables are gone");
    }

    @Test
    void theOnlyTableIsNamed() throws Exception {
        Outside.sqlite3(file, "CREATE TABLE orders(x); INSERT INTO orders VALUES (1);");
        ContentWitness first = witness(Optional.empty());
        first.ask();
        Files.delete(file);
        Outside.sqlite3(file, "PRAGMA user_version=1");
        assertEmptied(now(first.remembered().orElseThrow()), "the table orders is gone");
    }

    /** A migration writes down that it has been here. */
    @Test
    void aFewRowsOfTheOneWhoCreatedTheTablesAnewHideNothing() throws Exception {
        Outside.sqlite3(file, "CREATE TABLE flyway_schema_history(v); INSERT INTO flyway_schema_history VALUES (1);");
        Content before = filled("");
        Files.delete(file);
        Outside.sqlite3(
                file, "CREATE TABLE flyway_schema_history(v); INSERT INTO flyway_schema_history VALUES (1);" + SCHEMA);
        assertEmptied(now(before), "no rows any more in 2 of 3 tables");
    }

    @Test
    void anotherFileWithTheSameContentIsARestoreAndOk() throws Exception {
        Content before = filled("");
        Outside.sh("cp \"$1\" \"$1.copy\" && mv \"$1.copy\" \"$1\"", file);
        assertThat(now(before).ok()).isTrue();
    }

    /** A small database keeps its size and its schema version when it is emptied and created anew. */
    @Test
    void aSmallFileThatWasCutAndGotItsTablesAnewIsEmptiedWhenItsSequencesBeginAnew() throws Exception {
        Content before = few("wal");
        Outside.sh(": > \"$1\"", file);
        Outside.sqlite3(file, "PRAGMA journal_mode=wal;" + SEQUENCED);
        ContentWitness witness = witness(Optional.of(before));
        assertEmptied(witness.ask(), "no rows any more in the table s, which filled ");
        assertThat(witness.present().orElseThrow().pages()).isEqualTo(before.pages());
        assertThat(witness.present().orElseThrow().inode()).isEqualTo(before.inode());
        assertThat(witness.present().orElseThrow().schemaVersion()).isEqualTo(before.schemaVersion());
    }

    /** SQLite's backup begins to count schema changes anew, so that what is created afterwards looks younger. */
    @Test
    void aCopyThatSomebodyHasPutInPlaceAndThatIsThenEmptiedAndGetsItsTablesAnewIsEmptied() throws Exception {
        String schema = SCHEMA + SEQUENCED;
        Outside.sqlite3(file, schema + ROWS + "INSERT INTO s DEFAULT VALUES;");
        Outside.sqlite3(file, ".backup '" + folder.resolve("copy.db") + "'");
        Files.move(folder.resolve("copy.db"), file, StandardCopyOption.REPLACE_EXISTING);
        ContentWitness first = witness(Optional.empty());
        first.ask();
        Content before = first.remembered().orElseThrow();
        assertThat(before.schemaVersion()).isEqualTo(1);
        Outside.sqlite3(file, "DELETE FROM orders; DELETE FROM lines; DELETE FROM s; VACUUM;");
        assertThat(now(before).ok()).as("all rows deleted").isTrue();
        Outside.sh(": > \"$1\"", file);
        Outside.sqlite3(file, schema);
        assertEmptied(now(before), "no rows any more in 3 of 3 tables");
    }

    /** A file system may give the new file the number of the old one. */
    @Test
    void anotherDatabaseWithALongerHistoryInItsPlaceIsEmptied() throws Exception {
        Outside.sqlite3(file, SCHEMA + SEQUENCED + ROWS + "INSERT INTO s DEFAULT VALUES;");
        ContentWitness first = witness(Optional.empty());
        first.ask();
        Content before = first.remembered().orElseThrow();
        Path other = folder.resolve("other.db");
        Outside.sqlite3(other, "CREATE TABLE x(x); DROP TABLE x; CREATE TABLE y(x); INSERT INTO y VALUES (1);");
        Outside.sh("cat \"$2\" > \"$1\"", file, other);
        Outside.sqlite3(file, SCHEMA + SEQUENCED);
        ContentWitness witness = witness(Optional.of(before));
        assertEmptied(witness.ask(), "no rows any more in 3 of 3 tables");
        Content now = witness.present().orElseThrow();
        assertThat(now.schemaVersion()).isGreaterThan(before.schemaVersion());
        assertThat(now.inode()).isEqualTo(before.inode());
    }

    @Test
    void tablesThatAMigrationDropsAndCreatesAreNoAlarm() throws Exception {
        Outside.sqlite3(file, SEQUENCED + SCHEMA + ROWS + "INSERT INTO s DEFAULT VALUES;");
        ContentWitness first = witness(Optional.empty());
        first.ask();
        Outside.sqlite3(
                file, "DROP TABLE s; DROP TABLE orders; DROP TABLE lines; DROP TABLE empty;" + SEQUENCED + SCHEMA);
        assertThat(now(first.remembered().orElseThrow()).ok()).isTrue();
    }

    @Test
    void aFileOfAFewPagesLessIsEmptied() throws Exception {
        Outside.sqlite3(file, "CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x);");
        Outside.sqlite3(file, "INSERT INTO a SELECT hex(zeroblob(2000)) UNION ALL SELECT hex(zeroblob(2000));");
        ContentWitness first = witness(Optional.empty());
        first.ask();
        Outside.sh(": > \"$1\"", file);
        Outside.sqlite3(file, "CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x);");
        assertEmptied(now(first.remembered().orElseThrow()), "no rows any more in the table a");
    }

    @Test
    void rowsThatComeAfterwardsGiveNothingBackUntilThatIsAcceptedOrTheOldOnesAreThere() throws Exception {
        Content before = few("wal");
        Outside.sh("cp \"$1\" \"$1.backup\"; : > \"$1\"", file);
        Outside.sqlite3(file, SEQUENCED);
        ContentWitness witness = witness(Optional.of(before));
        assertThat(witness.ask().bad()).isTrue();
        Outside.sqlite3(file, "INSERT INTO s DEFAULT VALUES");
        assertThat(witness.ask().bad()).as("refilled").isTrue();
        ContentWitness next = witness(Optional.of(before));
        next.stillMissing("as an earlier process found");
        assertEmptied(next.ask(), "as an earlier process found");
        Outside.sh("rm -f \"$1-wal\" \"$1-shm\"; cp \"$1.backup\" \"$1\"", file);
        assertThat(witness.ask().ok()).as("restored").isTrue();
        assertThat(next.ask().ok()).as("restored").isTrue();
    }

    @Test
    void anApplicationMaySetItsSequencesBackWhileItRuns() throws Exception {
        few("wal");
        ContentWitness witness = witness(Optional.empty());
        witness.ask();
        Outside.sqlite3(file, "DELETE FROM s; DELETE FROM sqlite_sequence;");
        assertThat(witness.ask().ok()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"wal", "delete"})
    void aSmallDatabaseWhoseRowsWereDeletedIsNotEmptied(String journal) throws Exception {
        Content before = few(journal);
        Outside.sqlite3(file, "DELETE FROM s;");
        assertThat(now(before).ok()).isTrue();
    }

    private static final String SEQUENCED = "CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);";

    private Content few(String journal) throws Exception {
        Outside.sqlite3(
                file,
                "PRAGMA journal_mode=" + journal + ";" + SEQUENCED
                        + "INSERT INTO s(body) VALUES ('a'), ('b'), ('c'), ('d')");
        ContentWitness witness = witness(Optional.empty());
        witness.ask();
        return witness.remembered().orElseThrow();
    }

    /** Incident 32b. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "VACUUM;",
                "PRAGMA wal_checkpoint(TRUNCATE);",
                "PRAGMA journal_mode=delete; VACUUM;",
                "DROP TABLE empty; VACUUM;"
            })
    void anApplicationMayDeleteEveryRowOfEveryTable(String andThen) throws Exception {
        Content before = filled("PRAGMA journal_mode=wal;");
        Outside.sqlite3(file, "DELETE FROM orders; DELETE FROM lines; " + andThen);
        Testimony said = now(before);
        assertThat(said.ok()).as(said.text()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRAGMA auto_vacuum=FULL;", "PRAGMA auto_vacuum=INCREMENTAL;"})
    void alsoWhereDeletedRowsGiveTheirPagesBackAtOnce(String mode) throws Exception {
        Content before = filled(mode);
        Outside.sqlite3(file, "DELETE FROM orders; DELETE FROM lines; PRAGMA incremental_vacuum;");
        Testimony said = now(before);
        assertThat(said.ok()).as(said.text()).isTrue();
    }

    @Test
    void anApplicationMayDropItsTables() throws Exception {
        Content before = filled("");
        Outside.sqlite3(file, "DROP TABLE orders; DROP TABLE lines; DROP TABLE empty; VACUUM;");
        assertThat(now(before).ok()).isTrue();
    }

    @Test
    void anEmptinessThatWasMeantIsRememberedAsSuch() throws Exception {
        Content before = filled("");
        Files.delete(file);
        Outside.sqlite3(file, SCHEMA);
        ContentWitness witness = witness(Optional.of(before));
        assertThat(witness.ask().bad()).isTrue();
        assertThat(witness.remembered()).as("what is missing is not forgotten").contains(before);
        witness.accept();
        assertThat(witness.ask().ok()).isTrue();
        assertThat(witness.remembered()).isEqualTo(witness.present());
    }

    @Test
    void damageIsForOthersToSay() throws Exception {
        Content before = filled("");
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 count=1 conv=notrunc status=none", file);
        Testimony said = now(before);
        assertThat(said.says()).isEqualTo(Answer.UNASKED);
        assertThat(said.reason()).isEqualTo(Reason.CORRUPT);
    }

    @Test
    void aFileThatIsNotThereIsForOthersToSayAndIsNotCreated() throws Exception {
        Content before = filled("");
        Files.delete(file);
        assertThat(now(before).says()).isEqualTo(Answer.UNASKED);
        assertThat(file).doesNotExist();
    }

    @Test
    void tablesOfSqliteItselfAndOfVirtualTablesTellNothing() throws Exception {
        Outside.sqlite3(
                file,
                "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO a DEFAULT VALUES;"
                        + " CREATE VIRTUAL TABLE f USING fts5(x); CREATE VIEW v AS SELECT 1;");
        ContentWitness witness = witness(Optional.empty());
        witness.ask();
        assertThat(witness.present().orElseThrow().tables()).isEqualTo(List.of("a"));
    }

    private Content filled(String first) throws Exception {
        Outside.sqlite3(file, first + SCHEMA + ROWS);
        ContentWitness witness = witness(Optional.empty());
        assertThat(witness.ask().ok()).isTrue();
        return witness.remembered().orElseThrow();
    }

    private Testimony now(Content before) {
        return witness(Optional.of(before)).ask();
    }

    private ContentWitness witness(Optional<Content> before) {
        return new ContentWitness(file, ContentRules.NONE, before, Timepiece.system());
    }

    private static void assertEmptied(Testimony said, String text) {
        assertThat(said.says()).as(said.text()).isEqualTo(Answer.BAD);
        assertThat(said.reason()).isEqualTo(Reason.EMPTY);
        assertThat(said.text()).contains(text);
    }
}
