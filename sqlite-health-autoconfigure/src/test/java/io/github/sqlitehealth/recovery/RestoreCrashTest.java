package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.recovery.RestoreProgress.Stage;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Incident 52: wherever a restore ends for want of a process, the next start finishes or undoes it. Where it can end is
 * found by listening to one that is not interrupted.
 */
class RestoreCrashTest {

    /** An end that no finally survives where it matters: locks go, as they go with a process; files stay as they are. */
    private static final class Crash extends Error {

        private static final long serialVersionUID = 1L;
    }

    /** Where nobody waits for a disk: these are ends of processes, not of power. */
    static final class InMemory implements TempDirFactory {

        private static final Path MEMORY = Path.of("/dev/shm");

        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
                throws IOException {
            return Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "restore")
                    : Files.createTempDirectory("restore");
        }
    }

    enum Kind {
        DAMAGED,
        MISSING,
        FRESH,
        /** What is installed turns out to be damaged: all goes back. */
        FAILING
    }

    private static final String LONG_AGO = "20200101T000000.000Z";

    @TempDir(factory = InMemory.class)
    Path folder;

    private Scene scene;
    private Kind kind;
    private @Nullable String main;
    private String wal;
    private String copy;

    private void prepare(Kind wanted) throws Exception {
        kind = wanted;
        scene = Scene.damaged(folder.resolve("data"));
        if (kind == Kind.MISSING) {
            Files.delete(scene.database);
        }
        if (kind == Kind.DAMAGED) {
            Files.writeString(scene.beside(".corrupt"), "{}");
            Files.writeString(scene.beside(".corrupt-" + LONG_AGO), "an old one");
            RestoreTest.remember(scene);
        }
        main = kind == Kind.MISSING ? null : Scene.sum(scene.database);
        wal = Scene.sum(scene.beside("-wal"));
        copy = Scene.sum(scene.backup);
        Outside.sh("cp -a \"$1\" \"$2\"", scene.folder, folder.resolve("template"));
    }

    private void again() throws Exception {
        Outside.sh("rm -rf \"$1\" && cp -a \"$2\" \"$1\"", scene.folder, folder.resolve("template"));
    }

    private RestoreRequest request() {
        return scene.keeping(kind == Kind.FRESH ? null : scene.backup, 1);
    }

    private RestoreReport run(Consumer<String> told) throws Exception {
        return new Restore(Timepiece.system(), act -> {
                    told.accept(act);
                    damageWhatIsInstalled(act);
                })
                .begin(request());
    }

    private void damageWhatIsInstalled(String act) {
        try {
            if (kind == Kind.FAILING && act.equals("check what is installed")) {
                Outside.overwrite(scene.database, 7);
            }
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static Optional<RestoreReport> finish(Path database, Consumer<String> told) throws Exception {
        return new Restore(Timepiece.system(), told).finish(database);
    }

    private List<String> acts() throws Exception {
        List<String> acts = new ArrayList<>();
        RestoreReport report = run(acts::add);
        assertThat(report.outcome())
                .isEqualTo(
                        kind == Kind.FRESH
                                ? Outcome.STARTED_FRESH
                                : kind == Kind.FAILING ? Outcome.UNDONE : Outcome.RESTORED);
        allIsWell(Optional.of(report));
        return acts;
    }

    private static Consumer<String> deadlyAt(int act) {
        int[] told = {0};
        return each -> {
            if (++told[0] == act) {
                throw new Crash();
            }
        };
    }

    private boolean crashes(Executable work) throws Exception {
        try {
            work.run();
            return false;
        } catch (Crash expected) {
            return true;
        }
    }

    private interface Executable {
        void run() throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void theNextStartFinishesOrUndoesWhateverWasInterrupted(Kind wanted) throws Exception {
        prepare(wanted);
        List<String> acts = acts();
        assertThat(acts).contains("record CLEARING", "write the report").hasSizeGreaterThan(8);
        for (int act = 1; act <= acts.size(); act++) {
            again();
            int deadly = act;
            assertThat(crashes(() -> run(deadlyAt(deadly)))).isTrue();
            allIsWell(finish(scene.database, none -> {}));
        }
    }

    /** And so it does when that start is interrupted, too. */
    @ParameterizedTest
    @EnumSource(names = {"DAMAGED", "FAILING"})
    void theStartAfterTheNextDoesWhenThatIsInterruptedToo(Kind wanted) throws Exception {
        prepare(wanted);
        int acts = acts().size();
        int cases = 0;
        for (int act = 1; act <= acts; act++) {
            for (int second = 1; ; second++) {
                again();
                int deadly = act;
                int deadlyToo = second;
                crashes(() -> run(deadlyAt(deadly)));
                if (!crashes(() -> finish(scene.database, deadlyAt(deadlyToo)))) {
                    break;
                }
                cases++;
                allIsWell(finish(scene.database, none -> {}));
            }
        }
        assertThat(cases).isGreaterThan(acts);
    }

    /** With real processes and kill -9. */
    @Test
    void aProcessThatIsKilledAtAnyPoint() throws Exception {
        prepare(Kind.DAMAGED);
        int acts = acts().size();
        for (int act = 1; act <= acts; act++) {
            again();
            assertThat(end(RestoreChild.command(scene, "run", act))).isEqualTo(128 + 9);
            int second = act % 4 + 1;
            end(RestoreChild.command(scene, "finish", second));
            allIsWell(finish(scene.database, none -> {}));
        }
    }

    private static int end(List<String> command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void halfALineOfTheJournalDoesNotCount() throws Exception {
        prepare(Kind.DAMAGED);
        int acts = acts().size();
        for (int act = 2; act <= acts; act++) {
            again();
            int deadly = act;
            crashes(() -> run(deadlyAt(deadly)));
            Path journal = RestoreJournal.beside(scene.database);
            if (!Files.exists(journal)) {
                continue;
            }
            Files.writeString(journal, "{\"stage\":\"CLEARING\",\"outcome\":\"REST", StandardOpenOption.APPEND);
            crashes(() -> finish(scene.database, deadlyAt(2)));
            allIsWell(finish(scene.database, none -> {}));
        }
    }

    @Test
    void aCopyThatDidNotReachTheDiskIsNotInstalled() throws Exception {
        prepare(Kind.DAMAGED);
        crashBefore("record INSTALLING");
        Outside.sh("truncate -s 4096 \"$1\"", scene.beside(".restoring-copy"));
        Optional<RestoreReport> report = finish(scene.database, none -> {});
        assertThat(report.orElseThrow().outcome()).isEqualTo(Outcome.UNDONE);
        assertThat(report.orElseThrow().text()).contains("is not what was checked");
        allIsWell(report);
    }

    @Test
    void anotherDatabaseThatHasAppearedMeanwhileIsLeftAlone() throws Exception {
        prepare(Kind.DAMAGED);
        crashBefore("record INSTALLING");
        Outside.database(scene.database, 3);
        String other = Scene.sum(scene.database);
        RestoreReport report = finish(scene.database, none -> {}).orElseThrow();
        assertThat(report.outcome()).isEqualTo(Outcome.LEFT_ALONE);
        assertThat(report.text())
                .contains(
                        "another " + scene.database,
                        "left as it is",
                        report.archives().get(2));
        assertThat(Scene.sum(scene.database)).isEqualTo(other);
        assertThat(Scene.sum(Path.of(report.archives().get(2)))).isEqualTo(main);
        assertThat(scene.beside(".restoring-copy")).doesNotExist();
        assertThat(finish(scene.database, none -> {})).isEmpty();
    }

    @Test
    void aDatabaseThatWasCreatedWhileThereWasNoneIsNotTakenForTheCopy() throws Exception {
        prepare(Kind.MISSING);
        crashBefore("create " + scene.name() + ".restoring-copy");
        Outside.sh("rm \"$1\" \"$2\"", scene.beside("-wal"), scene.beside("-shm"));
        Outside.database(scene.database, 3);
        String other = Scene.sum(scene.database);
        assertThat(finish(scene.database, none -> {}).orElseThrow().outcome()).isEqualTo(Outcome.UNDONE);
        assertThat(Scene.sum(scene.database)).isEqualTo(other);
    }

    @Test
    void whatHasBeenUsedSinceItWasInstalledIsLeftAlone() throws Exception {
        prepare(Kind.DAMAGED);
        crashBefore("check what is installed");
        Outside.sqlite3(scene.database, "PRAGMA journal_mode=WAL");
        scene.insertAndBeKilled("INSERT INTO t(body) VALUES('after')");
        RestoreReport report = finish(scene.database, none -> {}).orElseThrow();
        assertThat(report.outcome()).isEqualTo(Outcome.LEFT_ALONE);
        assertThat(scene.rows()).isEqualTo(Scene.BACKED_UP + 1);
    }

    /** A full disk had not taken the line that says so, and the original is a sound one. */
    @Test
    void anUndoingThatIsNotInTheJournalIsNotTakenForSuccess() throws Exception {
        kind = Kind.FAILING;
        scene = Scene.sound(folder.resolve("data"));
        Outside.sqlite3(scene.database, "PRAGMA wal_checkpoint(TRUNCATE)");
        String original = Scene.sum(scene.database);
        List<String> told = new ArrayList<>();
        boolean crashed = crashes(() -> new Restore(Timepiece.system(), act -> {
                    damageWhatIsInstalled(act);
                    told.add(act);
                    if (act.equals("record CLEARING")) {
                        throw new Crash();
                    }
                })
                .begin(scene.forced(scene.backup, "test")));
        assertThat(crashed).isTrue();
        assertThat(told).contains("record UNDOING");
        Outside.sh("sed -i '$d' \"$1\"", RestoreJournal.beside(scene.database));
        assertThat(finish(scene.database, none -> {}).orElseThrow().outcome()).isEqualTo(Outcome.UNDONE);
        assertThat(Scene.sum(scene.database)).isEqualTo(original);
    }

    @Test
    void whoeverOpensTheOriginalJustBeforeItIsMovedKeepsIt() throws Exception {
        prepare(Kind.DAMAGED);
        List<Process> late = new ArrayList<>();
        try {
            RestoreReport report = run(act -> {
                if (act.equals("record " + Stage.MOVING)) {
                    late.add(hold(scene.database));
                }
            });
            assertThat(report.outcome()).isEqualTo(Outcome.UNDONE);
            assertThat(report.text())
                    .contains("was opened meanwhile by process " + late.get(0).pid());
            allIsWell(Optional.of(report));
        } finally {
            late.forEach(process -> process.destroyForcibly().onExit().join());
        }
    }

    private static Process hold(Path file) {
        try {
            Process holder = new ProcessBuilder("sh", "-c", "exec sleep 300 < \"$1\"", "sh", file.toString()).start();
            await().until(() -> holder.info().command().orElse("").endsWith("sleep"));
            return holder;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The volume goes and comes again. */
    @ParameterizedTest
    @EnumSource
    void aVolumeThatIsGoneMeanwhileLeavesTheRestToTheNextStart(Kind wanted) throws Exception {
        prepare(wanted);
        Path gone = folder.resolve("gone");
        RestoreReport report = run(act -> {
            if (act.equals("record " + Stage.MOVING)) {
                try {
                    Files.move(scene.folder, gone);
                } catch (IOException ex) {
                    throw new UncheckedIOException(ex);
                }
            }
        });
        assertThat(report.outcome()).isEqualTo(kind == Kind.MISSING ? Outcome.UNDONE : Outcome.STUCK);
        Outside.sh("rm -rf \"$1\"", scene.folder);
        Files.move(gone, scene.folder);
        Optional<RestoreReport> next = finish(scene.database, none -> {});
        assertThat(next).isPresent();
        allIsWell(next);
    }

    @Test
    void aRestoreThatIsGoingOnIsNotFinishedByAnother() throws Exception {
        prepare(Kind.DAMAGED);
        List<String> said = new ArrayList<>();
        RestoreReport report = run(act -> {
            if (act.equals("record " + Stage.MOVING)) {
                try {
                    said.add(
                            Outside.run(RestoreChild.command(scene, "finish", 0).toArray(String[]::new)));
                    said.add(Outside.run(RestoreChild.command(scene, "run", 0).toArray(String[]::new)));
                } catch (Exception ex) {
                    throw new IllegalStateException(ex);
                }
            }
        });
        assertThat(said.get(0)).contains(">refused", "another process is restoring this database");
        assertThat(said.get(1)).contains(">refused", "is going on or was interrupted");
        allIsWell(Optional.of(report));
    }

    @Test
    void whatWasInterruptedIsNotGoneOnWithWhileSomebodyUsesTheDatabase() throws Exception {
        prepare(Kind.DAMAGED);
        crashBefore("record " + Stage.MOVING);
        Process holder = hold(scene.database);
        try {
            String before = Scene.listing(folder);
            assertThatExceptionOfType(RestoreRefusedException.class)
                    .isThrownBy(() -> Restore.finishInterrupted(scene.database))
                    .withMessageContaining("is held by process " + holder.pid());
            assertThat(Scene.listing(folder)).isEqualTo(before);
        } finally {
            holder.destroyForcibly().onExit().join();
        }
        allIsWell(Restore.finishInterrupted(scene.database));
    }

    private void crashBefore(String act) throws Exception {
        assertThat(crashes(() -> run(each -> {
                    if (each.equals(act)) {
                        throw new Crash();
                    }
                })))
                .isTrue();
    }

    /** The old one or the new one is in place as a whole, and the original is never lost. */
    private void allIsWell(Optional<RestoreReport> report) throws Exception {
        assertThat(scene.beside(".restoring")).doesNotExist();
        assertThat(scene.beside(".restoring-copy")).doesNotExist();
        String there = Files.exists(scene.database) ? Scene.sum(scene.database) : null;
        Path original = new Archives(scene.database)
                .list().stream()
                        .filter(archive -> !archive.time().equals(LONG_AGO))
                        .map(archive -> new Archives(scene.database).aside("", archive.time()))
                        .filter(aside -> Files.exists(DatabaseFiles.beside(aside, "-wal")))
                        .findFirst()
                        .orElse(null);
        if (original == null) {
            assertThat(there).isEqualTo(main);
            assertThat(Scene.sum(scene.beside("-wal"))).isEqualTo(wal);
            report.ifPresent(said -> assertThat(said.outcome()).isEqualTo(Outcome.UNDONE));
        } else {
            assertThat(there).isEqualTo(kind == Kind.FRESH ? null : copy);
            assertThat(Files.exists(original) ? Scene.sum(original) : null).isEqualTo(main);
            assertThat(Scene.sum(DatabaseFiles.beside(original, "-wal"))).isEqualTo(wal);
            assertThat(scene.beside("-wal")).doesNotExist();
            assertThat(scene.beside("-shm")).doesNotExist();
            report.ifPresent(said -> assertThat(said.outcome()).isIn(Outcome.RESTORED, Outcome.STARTED_FRESH));
            assertThat(scene.beside(".corrupt")).doesNotExist();
            assertThat(scene.beside(".corrupt-" + LONG_AGO)).doesNotExist();
        }
        assertThat(Scene.sum(scene.backup)).isEqualTo(copy);
        List<String> names = scene.names();
        List<String> acts = new ArrayList<>();
        assertThat(finish(scene.database, acts::add)).isEmpty();
        assertThat(acts).isEmpty();
        assertThat(scene.names()).isEqualTo(names);
    }
}
