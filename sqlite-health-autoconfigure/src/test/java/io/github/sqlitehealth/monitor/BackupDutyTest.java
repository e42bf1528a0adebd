package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.LogLines;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.witness.HikariHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of the last verified backup when somebody has removed or overwritten it. */
class BackupDutyTest {

    private static final Duration DAY = Duration.ofHours(24);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @TempDir
    Path temporary;

    private HikariDataSource pool;
    private Rig rig;
    private BackupDuty duty;

    @BeforeEach
    void database() throws Exception {
        Path file = Rig.sound(temporary.toRealPath());
        pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:sqlite:" + file);
        pool.setMaximumPoolSize(2);
        Tuning tuning = new Tuning();
        tuning.backup = new BackupSettings(true, DAY, null, 7, Duration.ofMinutes(1));
        rig = new Rig(file, new HikariHandles(pool, () -> false), tuning);
        duty = new BackupDuty(
                rig.monitor,
                tuning.settings(),
                new MonitorListener() {},
                rig.time.timepiece(),
                Runnable::run,
                Runnable::run);
    }

    @AfterEach
    void close() {
        rig.close();
        pool.close();
    }

    @Test
    void beforeAnybodyHasLookedNothingIsKnownAndThenThatThereIsNone() {
        assertThat(duty.state().lastVerified()).isNull();
        assertThat(duty.state().why()).isEqualTo("nobody has looked yet");
        duty.look();
        assertThat(duty.state().why()).isEqualTo("there is no verified backup");
        duty.round();
        assertThat(duty.state().lastVerified()).isNotNull();
        assertThat(duty.state().why()).isNull();
    }

    @Test
    void oneThatIsRemovedCountsNoLongerAndOneThatIsDueIsTaken() throws Exception {
        try (LogLines log = new LogLines()) {
            Backup old = taken();
            rig.time.pass(Duration.ofHours(20));
            Backup lost = taken();
            rig.time.pass(Duration.ofHours(2));
            Outside.sh("rm \"$1\"", lost.file());

            assertThat(duty.round()).isEqualTo(MINUTE);
            assertThat(duty.state().lastVerified().at()).isEqualTo(old.at());
            assertThat(duty.state().why()).isEqualTo(lost.name() + " is gone");
            assertThat(duty.round()).isEqualTo(MINUTE);
            assertThat(log.with("WARN", "counts no longer", lost.name())).hasSize(1);
            assertThat(duty.list()).containsExactly(old);
            assertThat(note(lost)).exists();

            // A day after the one that is left.
            rig.time.pass(Duration.ofHours(3));
            duty.round();
            assertThat(duty.state().lastVerified().at()).isAfter(lost.at());
            assertThat(duty.state().why()).isNull();
            assertThat(note(lost)).as("what is left of it").doesNotExist();
        }
    }

    /** Whoever moves them away must not get one a minute. */
    @Test
    void oneThatIsGoneIsReplacedAfterATenthOfTheInterval() throws Exception {
        duty.round();
        Backup first = duty.list().get(0);
        Outside.sh("rm \"$1\"", first.file());
        rig.time.pass(MINUTE);
        assertThat(duty.round()).isEqualTo(MINUTE);
        assertThat(duty.list()).isEmpty();
        rig.time.pass(Duration.ofMinutes(145));
        duty.round();
        assertThat(duty.list()).hasSize(1);
    }

    @Test
    void oneThatIsOverwrittenCountsNoLonger() throws Exception {
        try (LogLines log = new LogLines()) {
            Backup lost = taken();
            rig.time.pass(MINUTE);
            Outside.overwrite(lost.file(), 2);
            duty.look();
            assertThat(duty.state().lastVerified()).isNull();
            assertThat(duty.state().why()).isEqualTo(lost.name() + " has been changed since it was checked");
            assertThat(log.with("WARN", "counts no longer", lost.name())).hasSize(1);
            duty.round();
            assertThat(duty.state().lastVerified().at()).isAfter(lost.at());
        }
    }

    @Test
    void oneThatWasOnlyTouchedIsReadAgainAndCounts() throws Exception {
        try (LogLines log = new LogLines()) {
            Backup touched = taken();
            Files.setLastModifiedTime(touched.file(), FileTime.fromMillis(12345000));
            assertThat(duty.round()).isEqualTo(MINUTE);
            assertThat(duty.state().lastVerified().at()).isEqualTo(touched.at());
            assertThat(duty.state().why()).isNull();
            assertThat(log.with("WARN", "counts no longer", touched.name())).hasSize(1);
            assertThat(log.with("INFO", "is the last verified backup", touched.name()))
                    .hasSize(1);
            duty.round();
            assertThat(log.with("WARN", "counts no longer", touched.name())).hasSize(1);
        }
    }

    /** What is asked for by hand is told by those who look, too. */
    @Test
    void whoListsThemTellsWhatIsLeft() throws Exception {
        Backup lost = taken();
        Outside.sh("rm \"$1\"", lost.file());
        assertThat(duty.list()).isEmpty();
        assertThat(duty.state().lastVerified()).isNull();
        assertThat(duty.state().why()).isEqualTo(lost.name() + " is gone");
    }

    @Test
    void afterAFailureItIsLookedAtEachMinuteAndTriedAfterATenthOfTheInterval() throws Exception {
        Files.writeString(duty.directory().path(), "in the way");
        assertThat(duty.round()).isEqualTo(MINUTE);
        assertThat(duty.state().failures()).isOne();
        rig.time.pass(Duration.ofHours(2));
        assertThat(duty.round()).isEqualTo(MINUTE);
        assertThat(duty.state().failures()).isOne();
        rig.time.pass(Duration.ofMinutes(25));
        duty.round();
        assertThat(duty.state().failures()).isEqualTo(2);
    }

    private Backup taken() throws Exception {
        return duty.now().get(20, TimeUnit.SECONDS);
    }

    private static Path note(Backup backup) {
        return backup.file().resolveSibling(backup.name().replace(".db", ".json"));
    }
}
