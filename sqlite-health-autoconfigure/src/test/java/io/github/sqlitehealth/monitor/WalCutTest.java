package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.OneConnection;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.DatabaseFile;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A -wal that is cut short in place. The inodes are the same, so identity cannot tell; what was in the lost part cannot be
 * read, and the main file is as sound as it was at the last checkpoint.
 */
class WalCutTest {

    @TempDir
    Path folder;

    @Test
    void whatIsLostOfAWalCannotBeReadAndIsNeverDamage() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        try (Connection writer = DriverManager.getConnection("jdbc:sqlite:" + file);
                Connection reader = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            execute(reader, "SELECT count(*) FROM t");
            execute(writer, "INSERT INTO t(body) SELECT hex(randomblob(250)) FROM t, t AS u, t AS v LIMIT 800");
            try (Rig rig = new Rig(file, new OneConnection(writer, true), new Tuning())) {
                rig.monitor.join(
                        new Database("reader", file, false, "3.x", null, mayGrow -> new OneConnection(reader, true)));
                Outside.sh("truncate -s $(($(stat -c %s \"$1\") / 2)) \"$1\"", DatabaseFile.WAL.beside(file));
                rig.quick();
                assertThat(rig.verdict()).isEqualTo(Verdict.UNREADABLE);
                rig.full();
                assertThat(rig.state().latch().held())
                        .extracting(held -> held.finding().verdict())
                        .containsExactly(Verdict.UNREADABLE);
                assertThat(rig.heard)
                        .filteredOn(said -> said.witness() == Witness.FRESH)
                        .extracting(Testimony::check)
                        .contains(Check.QUICK, Check.FULL);
                assertThat(rig.heard)
                        .filteredOn(said -> said.witness() == Witness.FRESH || said.witness() == Witness.LIVE)
                        .as("the writer has all in its cache, which does not speak for the others")
                        .allMatch(said -> said.because(Reason.IO_ERROR))
                        .as("it was told in rows and not by an exception")
                        .allMatch(said -> said.text().contains("code=522"));
            }
        }
    }

    private static void execute(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
