package io.github.sqlitehealth.monitor;

import static io.github.sqlitehealth.fixture.Scripted.error;
import static io.github.sqlitehealth.fixture.Scripted.rows;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.fixture.Scripted;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool that says what it is told, over a real file that new connections read. */
class IncidentsOnStubsTest {

    private static final String SECOND_REFERENCE = "Tree 12 page 56933 cell 0: 2nd reference to page 56933";
    private static final String OUT_OF_ORDER = "Tree 12 page 7 cell 3: Rowid 687194767425 out of order";

    @TempDir
    Path folder;

    private final Scripted live = new Scripted();
    private final Tuning tuning = new Tuning();

    @Test
    void incident19IsExactlyThreeLines() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            rig.pass(Duration.ofMinutes(10));
            live.always(rows(OUT_OF_ORDER));
            rig.quick();
            // Longer than stale-after, too: that nobody has asked meanwhile is no line beside the graver ones.
            rig.time.pass(Duration.ofMinutes(31));
            rig.monitor.pulse();
            assertThat(rig.state().latch().holds(Verdict.UNVERIFIED)).isTrue();
            rig.quick();
            assertThat(rig.alarms.lines()).hasSize(3);
            assertThat(rig.alarms.lines().get(0)).contains(SECOND_REFERENCE, "CONNECTION_CONFUSED");
            assertThat(rig.alarms.lines().get(1)).contains(OUT_OF_ORDER);
            assertThat(rig.alarms.lines().get(2)).contains(OUT_OF_ORDER, "PT41M");
            assertThat(rig.state().counts().alarms()).isEqualTo(3);
        }
    }

    @Test
    void incident20SpeaksFirstAndThenEachHalfHourForEachSource() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "CREATE INDEX i ON t(body); PRAGMA wal_checkpoint(TRUNCATE)");
        try (Rig rig = new Rig(file, live, tuning)) {
            Outside.damage(file, "t");
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            Outside.sqlite3(file, "SELECT 1");
            rig.time.pass(Duration.ofMinutes(7));
            rig.full();
            for (int tick = 1; tick < 25; tick++) {
                rig.pass(Duration.ofMinutes(11)).quick();
            }
            rig.pass(Duration.ofMinutes(6));
            List<String> lines = rig.alarms.lines();
            // 25 ticks: the first, and one each 30 minutes of the 277 and 270 that follow.
            assertThat(lines)
                    .filteredOn(line -> line.contains("the quick check"))
                    .hasSize(10);
            assertThat(lines)
                    .filteredOn(line -> line.contains("the full check"))
                    .hasSize(10);
            assertThat(lines).hasSize(20);
            assertThat(rig.alarms.levels()).containsOnly(Level.ERROR);
        }
    }

    @Test
    void incident10CountsTransientsAndKeepsTheFirstAndEachTenth() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            for (int read = 1; read <= 21; read++) {
                live.then(rows(SECOND_REFERENCE), Scripted.OK);
                rig.quick();
                assertThat(rig.verdict()).isEqualTo(Verdict.SUSPECT);
                int snapshots = read < 10 ? 1 : read < 20 ? 2 : 3;
                assertThat(rig.reasons())
                        .as("after %s", read)
                        .hasSize(snapshots)
                        .containsOnly("transient");
                assertThat(rig.state().counts().transients()).isEqualTo(read);
                rig.time.pass(Duration.ofMinutes(10));
            }
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.alarms.lines()).isEmpty();
            assertThat(rig.state().incidents()).isEmpty();
            assertThat(rig.state().incident()).isNull();
        }
    }

    @Test
    void transientsAreCountedOnAfterARestart() throws Exception {
        Path file = Rig.sound(folder);
        try (Rig rig = new Rig(file, live, tuning)) {
            live.then(rows(SECOND_REFERENCE), Scripted.OK);
            rig.quick();
        }
        try (Rig rig = new Rig(file, live, tuning)) {
            assertThat(rig.state().counts().transients()).isEqualTo(1);
        }
    }

    @Test
    void incident11IsUnconfirmedDamageAndNeverAnAllClear() throws Exception {
        Path file = Rig.sound(folder);
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            live.always(rows(SECOND_REFERENCE));
            Path aside = folder.resolve("aside.db");
            // What is at the path can be looked at and not be opened.
            Files.move(file, aside);
            Files.createDirectory(file);
            try {
                rig.quick();
                assertThat(rig.state().latch().held()).singleElement().satisfies(held -> {
                    assertThat(held.finding().verdict()).isEqualTo(Verdict.DAMAGED);
                    assertThat(held.finding().confirmed()).isFalse();
                });
                assertThat(rig.state().said().quick().fresh().because(Reason.IO_ERROR))
                        .isTrue();
                assertThat(rig.alarms.lines()).singleElement().asString().contains("DAMAGED", "not confirmed");
            } finally {
                Files.delete(file);
                Files.move(aside, file);
            }
            rig.quick();
            assertThat(rig.state().said().full().fresh().ok())
                    .as("only a full check acquits, so it was due at once")
                    .isTrue();
            assertThat(rig.verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 14, 10, 9, 1})
    void aLiveConnectionThatCannotBeAskedAccusesNobodyAndIsNotHeardAsOk(int code) throws Exception {
        Path file = Rig.sound(folder);
        try (Rig rig = new Rig(file, live, tuning)) {
            live.always(error(code, "code " + code));
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.state().said().quick().live().asked()).isFalse();
        }
    }

    @Test
    void aFailedReadIsReadAgainTwiceBeforeItCounts() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            live.then(error(11, "malformed"), rows(OUT_OF_ORDER), Scripted.OK);
            rig.quick();
            assertThat(live.checks()).isEqualTo(3);
            assertThat(rig.verdict()).isEqualTo(Verdict.SUSPECT);
            live.then(error(11, "malformed"), rows(OUT_OF_ORDER), rows(OUT_OF_ORDER), Scripted.OK);
            rig.quick();
            assertThat(live.checks()).isEqualTo(6);
            assertThat(rig.verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
        }
    }

    @Test
    void confusionIsAnIncidentWithABeginningAndAnEnd() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            assertThat(rig.state().incident()).isNull();
            live.always(rows(SECOND_REFERENCE));
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            Incident open = Objects.requireNonNull(rig.state().incident());
            assertThat(open.verdicts()).containsExactly("CONNECTION_CONFUSED");
            assertThat(rig.reasons()).containsExactly("bad-read", "verdict");
            assertThat(rig.state().snapshots())
                    .extracting(SnapshotEntry::incident)
                    .containsOnly(open.id());
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            assertThat(rig.state().incident()).isEqualTo(open);
            live.always(Scripted.OK);
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            assertThat(rig.state().incident()).isNull();
            assertThat(rig.state().incidents()).singleElement().satisfies(ended -> {
                assertThat(ended.id()).isEqualTo(open.id());
                assertThat(Duration.between(ended.since(), Objects.requireNonNull(ended.until())))
                        .isBetween(Duration.ofMinutes(20), Duration.ofMinutes(21));
            });
            assertThat(rig.told).containsExactly(Verdict.CONNECTION_CONFUSED, Verdict.HEALTHY);
            assertThat(rig.alarms.levels()).containsExactly(Level.WARN, Level.INFO);
            assertThat(rig.alarms.lines().get(1)).contains("CONNECTION_CONFUSED is over");
        }
    }

    @Test
    void theFirstSnapshotHoldsTheTestimonyThatItWasTakenFor() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            SnapshotEntry first = rig.state().snapshots().get(0);
            assertThat(first.reason()).isEqualTo("bad-read");
            assertThat((List<?>) rig.monitor.snapshot(first.id()).orElseThrow().get("testimonies"))
                    .filteredOn(said -> "live".equals(((Map<?, ?>) said).get("witness")))
                    .as("and not what the same connection said before")
                    .singleElement()
                    .satisfies(said -> {
                        assertThat(((Map<?, ?>) said).get("says")).isEqualTo("BAD");
                        assertThat(((Map<?, ?>) said).get("text")).isEqualTo(SECOND_REFERENCE);
                    });
        }
    }

    @Test
    void damageSurvivesARestartWithItsClockAndItsFirstSnapshot() throws Exception {
        Path file = Rig.sound(folder);
        live.always(rows(SECOND_REFERENCE));
        Incident open;
        var time = new io.github.sqlitehealth.fixture.FakeTime();
        try (Rig rig = new Rig(file, live, tuning, time)) {
            rig.quick();
            open = Objects.requireNonNull(rig.state().incident());
        }
        time.pass(Duration.ofHours(3));
        try (Rig rig = new Rig(file, live, tuning, time)) {
            assertThat(rig.monitor.isUrgent()).isTrue();
            assertThat(rig.verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
            assertThat(rig.state().incident()).isEqualTo(open);
            assertThat(MonitorState.latchedFor(rig.state().latch(), rig.monitor.now())
                            .toHours())
                    .isEqualTo(3);
            assertThat(rig.state().snapshots().get(0).reason()).isEqualTo("bad-read");
            assertThat(rig.state().snapshots().get(0).incident()).isEqualTo(open.id());
            assertThat(rig.alarms.lines()).singleElement().asString().contains("CONNECTION_CONFUSED", "PT3H");
            live.always(Scripted.OK);
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.state().incidents()).extracting(Incident::id).containsExactly(open.id());
        }
    }

    @Test
    void aFullCheckIsDueAtOnceWhenAQuickOnePassesAfterDamage() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        Path copy = folder.resolve("sound.copy");
        Outside.sh("cp \"$1\" \"$2\"", file, copy);
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            Outside.damage(file, "t");
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            assertThat(rig.state().latch().first().finding().confirmed()).isTrue();
            assertThat(rig.reasons()).containsExactly("bad-read", "confirmed");
            Outside.sh("dd if=\"$2\" of=\"$1\" conv=notrunc status=none", file, copy);
            live.always(Scripted.OK);
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            assertThat(rig.heard).filteredOn(said -> said.check() == Check.FULL).hasSize(1);
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.reasons()).as("nothing was confirmed any more").containsExactly("bad-read", "confirmed");
        }
    }

    @Test
    void confirmedDamageThatWasHealedEndsAsConfusionWhileTheLiveConnectionStillSeesIt() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Path copy = folder.resolve("sound.copy");
        Outside.sh("cp \"$1\" \"$2\"", file, copy);
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            Outside.damage(file, "t");
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            assertThat(rig.state().latch().held()).singleElement().satisfies(held -> {
                assertThat(held.finding().verdict()).isEqualTo(Verdict.DAMAGED);
                assertThat(held.finding().confirmed()).isTrue();
            });
            Outside.sh("dd if=\"$2\" of=\"$1\" conv=notrunc status=none", file, copy);
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            assertThat(rig.state().latch().held())
                    .as("a restore would cost good rows")
                    .extracting(held -> held.finding().verdict())
                    .containsExactly(Verdict.CONNECTION_CONFUSED);
        }
    }

    @Test
    void damageIsNotClearedWhenTheFullCheckStillFails() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            Outside.damage(file, "t");
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            live.always(Scripted.OK);
            rig.time.pass(Duration.ofMinutes(10));
            rig.quick();
            assertThat(rig.verdict()).as("live may have it in its cache").isEqualTo(Verdict.DAMAGED);
            assertThat(rig.heard)
                    .filteredOn(said -> said.witness() == Witness.FRESH)
                    .allMatch(said -> said.bad());
        }
    }

    @Test
    void damageThatAnEarlierProcessFoundIsHeldWhileTheDatabaseHasBegunAnew() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            rig.quick();
            Outside.damage(file, "t");
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.DAMAGED);
        }
        Outside.sh("rm -f \"$1\"-wal \"$1\"-shm; truncate -s 0 \"$1\"", file);
        Outside.sqlite3(file, "PRAGMA journal_mode=wal; CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
        live.always(Scripted.OK);
        try (Rig rig = new Rig(file, live, tuning)) {
            rig.quick().full().quick();
            assertThat(rig.state().said().full().fresh().ok()).isTrue();
            assertThat(rig.state().latch().held())
                    .extracting(held -> held.finding().verdict())
                    .containsExactly(Verdict.DAMAGED, Verdict.EMPTIED);
            rig.monitor.acceptContent();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
        }
    }

    @Test
    void aBadReadIsEvidenceAlsoWhileSomethingElseHolds() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            live.exhausted(true);
            rig.pass(Duration.ofMinutes(40));
            assertThat(rig.verdict()).isEqualTo(Verdict.UNVERIFIED);
            live.exhausted(false).always(rows(SECOND_REFERENCE));
            rig.quick();
            assertThat(rig.reasons()).contains("bad-read");
        }
    }

    @Test
    void anExhaustedPoolIsUnverifiedWhileTheFreshConnectionGoesOnBeingAsked() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            live.exhausted(true);
            rig.pass(Duration.ofMinutes(10)).quick();
            rig.pass(Duration.ofMinutes(10)).quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            rig.pass(Duration.ofMinutes(11)).quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(rig.state().said().quick().live().because(Reason.NO_CONNECTION))
                    .isTrue();
            assertThat(rig.state().said().quick().fresh().ok()).isTrue();
            live.exhausted(false);
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
        }
    }

    /** Only the anchor holds the old file then, and that is nobody's trouble. */
    @Test
    void anApplicationThatHasLetGoOfItsFileMayPutAnotherInItsPlace() throws Exception {
        Path file = Rig.sound(folder);
        Path other = Outside.database(folder.resolve("other.db"), 10);
        try (Rig rig = new Rig(file, live.closed(true), tuning)) {
            Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            rig.look();
            assertThat(rig.alarms.lines()).isEmpty();
        }
        Path third = Outside.database(folder.resolve("third.db"), 10);
        try (Rig rig = new Rig(file, live.closed(false), tuning)) {
            Files.move(third, file, StandardCopyOption.REPLACE_EXISTING);
            rig.look();
            assertThat(rig.verdict()).as("the application may hold it still").isEqualTo(Verdict.STRANDED);
        }
    }

    @Test
    void aPoolThatHoldsNoConnectionForHoursIsNotUnverified() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live.closed(true), tuning)) {
            for (int tick = 0; tick < 12; tick++) {
                rig.quick().pass(Duration.ofMinutes(10));
            }
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.alarms.lines()).isEmpty();
        }
    }

    @Test
    void whoeverReadsTheStateFindsTheSilenceThoughNobodyPublishesIt() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            rig.time.pass(Duration.ofMinutes(31));
            assertThat(rig.state().verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.state().latchAt(rig.monitor.now()).verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(rig.state().tickAge(Check.IDENTITY, rig.monitor.now())).isGreaterThan(Duration.ofMinutes(30));
            assertThat(rig.state().tickAge(Check.QUICK, rig.monitor.now())).isGreaterThan(Duration.ofMinutes(30));
        }
    }

    /** A look may find it, too; the moment between look and pulse is short, and not short enough. */
    @Test
    void silenceThatNobodyButThePulseFindsLeavesASnapshot() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            rig.time.pass(Duration.ofMinutes(31));
            rig.monitor.pulse();
            assertThat(rig.verdict()).isEqualTo(Verdict.UNVERIFIED);
            assertThat(rig.reasons()).containsExactly("verdict");
        }
    }

    /** A test context that was paused for hours, or an application that was restored from a checkpoint. */
    @Test
    void aStopOfAnyLengthIsNoSilence() throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            rig.monitor.close();
            rig.time.pass(Duration.ofHours(5));
            assertThat(rig.state().latchAt(rig.monitor.now()).verdict()).isEqualTo(Verdict.UNVERIFIED);
            rig.monitor.resume();
            rig.look();
            rig.monitor.pulse();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(rig.alarms.lines()).isEmpty();
            rig.pass(Duration.ofMinutes(31));
            assertThat(rig.verdict()).isEqualTo(Verdict.UNVERIFIED);
        }
    }

    /** Incident 38. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void aClockThatJumpsADayChangesNothing(long days) throws Exception {
        try (Rig rig = new Rig(Rig.sound(folder), live, tuning)) {
            rig.quick();
            rig.time.jump(Duration.ofDays(days));
            rig.look();
            rig.monitor.pulse();
            assertThat(rig.verdict()).isEqualTo(Verdict.HEALTHY);
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            rig.time.jump(Duration.ofDays(-days));
            rig.pass(Duration.ofMinutes(5));
            assertThat(rig.verdict()).isEqualTo(Verdict.CONNECTION_CONFUSED);
            assertThat(MonitorState.latchedFor(rig.state().latch(), rig.monitor.now())
                            .toMinutes())
                    .isEqualTo(5);
            assertThat(rig.alarms.lines()).hasSize(1);
            assertThat(rig.state().tickAge(Check.QUICK, rig.monitor.now()).toMinutes())
                    .isEqualTo(5);
        }
    }

    @Test
    void whatHoldsIsWrittenDownOnceAndNotWithEveryLook() throws Exception {
        Path file = Rig.sound(folder);
        try (Rig rig = new Rig(file, live, tuning)) {
            live.always(rows(SECOND_REFERENCE));
            rig.quick();
            Object written = memory(file);
            for (int tick = 0; tick < 5; tick++) {
                rig.time.pass(Duration.ofMinutes(1));
                rig.look().quick();
            }
            assertThat(memory(file)).isEqualTo(written);
        }
    }

    @Test
    void anOpenIncidentIsWrittenDownAgainWhenItsDirectoryWasRemoved() throws Exception {
        Path file = Rig.sound(folder);
        Incident open;
        try (Rig rig = new Rig(file, live, tuning)) {
            live.always(rows(SECOND_REFERENCE));
            rig.quick().pass(Duration.ofMinutes(2));
            open = Objects.requireNonNull(rig.state().incident());
            Outside.run("rm", "-r", file + "-forensics");
            rig.pass(Duration.ofMinutes(1));
            Object written = memory(file);
            rig.pass(Duration.ofMinutes(5));
            assertThat(memory(file)).isEqualTo(written);
            // A process that is killed writes nothing down at its end.
            try (Rig next = new Rig(file, live, tuning)) {
                assertThat(next.state().incident()).isEqualTo(open);
            }
        }
    }

    @Test
    void whatShouldBeThereIsWrittenDownAgainByTheNextCheckWhenItWasRemoved() throws Exception {
        Path file = Rig.sound(folder);
        try (Rig rig = new Rig(file, live, tuning)) {
            rig.quick();
            Outside.run("rm", "-r", file + "-forensics");
            rig.quick();
            assertThat(memory(file)).isNotNull();
        }
    }

    /** It may have been moved, or a mount is missing: a new folder in its place would be in the way. */
    @Test
    void noFolderIsCreatedWhereThatOfTheDatabaseWas() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path file = Rig.sound(data);
        try (Rig rig = new Rig(file, live, tuning)) {
            rig.look();
            Files.move(data, folder.resolve("elsewhere"));
            rig.look();
            assertThat(rig.verdict()).isEqualTo(Verdict.STRANDED);
            assertThat(rig.reasons()).as("kept in memory").containsExactly("identity");
            assertThat(data).doesNotExist();
        }
        assertThat(data).doesNotExist();
    }

    @Test
    void whatIsEmptiedBeforeTheFirstCheckOfAFirstRunIsMissed() throws Exception {
        Path file = Rig.sound(folder);
        tuning.anchor = false;
        try (Rig rig = new Rig(file, live, tuning)) {
            Outside.run("truncate", "-s", "0", file.toString());
            rig.quick();
            assertThat(rig.verdict()).isEqualTo(Verdict.EMPTIED);
        }
    }

    private static Object memory(Path file) throws Exception {
        return Files.getAttribute(
                file.resolveSibling(file.getFileName() + "-forensics").resolve("state.json"), "unix:ino");
    }
}
