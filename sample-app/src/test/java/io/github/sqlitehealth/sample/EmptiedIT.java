package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows are gone when the gateway starts again, and it creates its tables anew (the book's incident 15). */
class EmptiedIT {

    private static final String DATABASE = "data/gateway.db";

    /** The first check is 10 s after the start unless something is found at the start. */
    private static final Duration AT_THE_START = Duration.ofSeconds(5);

    private static final String QUICK = "--sqlite.health.quick-check.initial-delay=0s";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"true, 4, true", "false, 4, true", "true, 5000, false", "false, 5000, true"})
    void anEmptiedDatabaseIsNamedAtTheStartHoweverFewRowsItHad(boolean truncated, int rows, boolean killed)
            throws Exception {
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            gateway.awaitHealthy();
            for (int i = 0; i < Math.min(rows, 4); i++) {
                gateway.post("message " + i);
            }
            if (rows > 4) {
                Act.fill(gateway.database(), rows);
            }
            // What a killed process has seen last is what its last check wrote down.
            gateway.check("quick");
            if (killed) {
                gateway.kill();
            } else {
                gateway.terminate();
            }
        }
        Path database = folder.resolve(DATABASE);
        for (String suffix : new String[] {"-wal", "-shm"}) {
            Files.deleteIfExists(Path.of(database + suffix));
        }
        if (truncated) {
            Act.truncate(database, 0);
        } else {
            Act.rm(database);
            Files.createFile(database);
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            gateway.awaitVerdict("EMPTIED", AT_THE_START);
            Evidence.assertNamed(gateway, "EMPTIED", "DOWN");
            gateway.post("a new message gives none of the old ones back");
            assertThat(gateway.check("quick").path("verdict").asString("")).isEqualTo("EMPTIED");
            gateway.kill();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            gateway.awaitVerdict("EMPTIED", AT_THE_START);
            gateway.accept("EMPTIED");
            gateway.awaitVerdict("HEALTHY", Evidence.LIMIT);
            assertThat(gateway.check("quick").path("verdict").asString("")).isEqualTo("HEALTHY");
        }
    }

    /** SQLite begins to count schema changes anew in what it copies; the count is what tells an emptied file. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void whatWasRestoredFromABackupAndIsEmptiedThenIsNamedToo(boolean ourBackup) throws Exception {
        Path copy = folder.resolve("copy.db");
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            gateway.awaitHealthy();
            Act.fill(gateway.database(), 2_000);
            if (!ourBackup) {
                Act.sqlite3(gateway.database(), ".backup '" + copy + "'");
            }
            gateway.terminate();
        }
        Path database = folder.resolve(DATABASE);
        if (ourBackup) {
            assertThat(HealthCommand.fromTheFatJar(folder, "backup", "--database=" + DATABASE)
                            .code())
                    .isZero();
        }
        Act.rm(database);
        String from = "--sqlite.health.recovery.restore-from=" + (ourBackup ? "latest" : copy);
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK, from)) {
            gateway.awaitHealthy();
            gateway.check("quick");
            assertThat(gateway.count()).isEqualTo(2_000);
            gateway.terminate();
        }
        Act.truncate(database, 0);
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            gateway.awaitVerdict("EMPTIED", AT_THE_START);
        }
    }

    @Test
    void rowsThatWereDeletedAndAVacuumAreNoAlarmAlsoAfterTheNextStart() throws Throwable {
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            gateway.awaitHealthy();
            Act.fill(gateway.database(), 2_000);
            gateway.check("quick");
            Act.sqlite3(gateway.database(), "delete from messages");
            gateway.kill();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            Benign.assertStaysHealthy(gateway, () -> Act.sqlite3(gateway.database(), "vacuum"));
            gateway.terminate();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            Benign.assertStaysHealthy(gateway, () -> gateway.post("a first one again"));
        }
    }

    @Test
    void aMigrationThatDropsAndCreatesIsNoAlarm() throws Throwable {
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            gateway.awaitHealthy();
            Act.fill(gateway.database(), 2_000);
            gateway.check("quick");
            gateway.terminate();
        }
        Act.sqlite3(folder.resolve(DATABASE), "drop table messages_fts; drop table messages");
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, QUICK)) {
            Benign.assertStaysHealthy(gateway, () -> gateway.post("new"));
        }
    }

    @Test
    void aRequiredTableThatIsGoneAndAFloorThatIsUndercutAreNamedAtTheStart() throws Exception {
        String[] rules = {
            QUICK, "--sqlite.health.content.required-tables=audit", "--sqlite.health.content.row-floors.messages=3"
        };
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, rules)) {
            gateway.awaitHealthy();
            for (int i = 0; i < 4; i++) {
                gateway.post("message " + i);
            }
            Act.sqlite3(gateway.database(), "create table audit (x)");
            assertThat(gateway.check("quick").path("verdict").asString("")).isEqualTo("HEALTHY");
            gateway.terminate();
        }
        Act.sqlite3(folder.resolve(DATABASE), "delete from messages where id > 2; drop table audit");
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE, rules)) {
            gateway.awaitVerdict("EMPTIED", AT_THE_START);
            Evidence.assertNamed(gateway, "EMPTIED", "DOWN");
            assertThat(gateway.health().at("/details/witnesses/content/text").asString(""))
                    .contains("table audit", "3 rows in messages");
            Act.sqlite3(gateway.database(), "create table audit (x)");
            gateway.post("a third one again");
            assertThat(gateway.check("quick").path("verdict").asString("")).isEqualTo("HEALTHY");
        }
    }
}
