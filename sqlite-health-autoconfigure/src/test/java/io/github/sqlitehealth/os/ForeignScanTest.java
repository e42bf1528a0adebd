package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignScanTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir
    Path temporary;

    private final List<Process> processes = new ArrayList<>();
    private Path main;
    private Path other;

    @BeforeEach
    void files() throws IOException {
        Children.needProc();
        Path folder = temporary.toRealPath();
        main = Files.writeString(folder.resolve("a.db"), "x");
        other = Files.writeString(folder.resolve("b.db"), "x");
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    @Test
    void oneScanTellsTheHoldersOfAllDatabases() throws Exception {
        long first = hold("<", main);
        long second = hold("<", other);
        Path free = Files.writeString(main.resolveSibling("c.db"), "x");
        Map<Path, List<Holder>> found = new Holders().foreign(List.of(main, other, free), LIMIT);
        assertThat(found).containsOnlyKeys(main, other);
        assertThat(found.get(main)).singleElement().satisfies(holder -> {
            assertThat(holder.pid()).isEqualTo(first);
            assertThat(holder.command()).isEqualTo("sleep");
            assertThat(holder.self()).isFalse();
            assertThat(holder.descriptors()).singleElement().matches(file -> !file.stale());
        });
        assertThat(found.get(other)).extracting(Holder::pid).containsExactly(second);
    }

    @Test
    void thisProcessIsNoForeigner() throws Exception {
        try (InputStream open = new FileInputStream(main.toFile())) {
            assertThat(open.available()).isEqualTo(1);
            assertThat(new Holders().foreign(List.of(main), LIMIT)).isEmpty();
        }
    }

    /** The copying of a part waits until somebody reads what it writes. */
    @Test
    void aProgramThatIsRunFromHereIsNoForeignerButAChildOfTheApplicationIs() throws Exception {
        Path pipe = temporary.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<Void> copying = CompletableFuture.runAsync(() -> copy(main, pipe));
        try {
            await().until(() -> new Holders()
                    .find(main, Map.of(), LIMIT).holders().stream()
                            .anyMatch(holder -> holder.command().equals("dd")));
            long child = hold("<", main);
            assertThat(new Holders().foreign(List.of(main), LIMIT).get(main))
                    .extracting(Holder::pid)
                    .containsExactly(child);
            assertThat(copying).isNotDone();
        } finally {
            assertThat(Files.readString(pipe)).isEqualTo("x");
            copying.join();
        }
    }

    private static void copy(Path from, Path to) {
        try {
            FilePart.copy(from, to, 0, 1, LIMIT);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void fileWithoutItsNameIsStaleWhenItIsOpenForWriting() throws Exception {
        Path wal = Files.writeString(DatabaseFile.WAL.beside(main), "x");
        long pid = hold("<>", wal);
        Files.delete(wal);
        Files.writeString(wal, "another");
        assertThat(new Holders().foreign(List.of(main), LIMIT).get(main))
                .singleElement()
                .satisfies(holder -> {
                    assertThat(holder.pid()).isEqualTo(pid);
                    assertThat(holder.descriptors())
                            .singleElement()
                            .matches(file -> file.stale() && file.file().equals("wal"));
                });
    }

    /** A {@code tail -f} or a backup that is still at work. */
    @Test
    void whoeverOnlyReadsAFileWithoutItsNameDoesNoHarm() throws Exception {
        Path wal = Files.writeString(DatabaseFile.WAL.beside(main), "x");
        hold("<", wal);
        Files.delete(wal);
        assertThat(new Holders().foreign(List.of(main), LIMIT)).isEmpty();
    }

    /** A service with a private /tmp, or a container that shares the volume. */
    @Test
    void fileOfTheSameFolderInAnotherMountNamespace() throws Exception {
        needUnshare();
        Path wal = Files.writeString(DatabaseFile.WAL.beside(main), "x");
        hold("<>", wal, "unshare", "-m");
        Files.delete(wal);
        assertThat(new Holders().foreign(List.of(main), LIMIT).get(main))
                .singleElement()
                .satisfies(holder ->
                        assertThat(holder.descriptors()).singleElement().matches(HeldFile::stale));
    }

    /** Containers have files of the same name, and a file that is gone has little but its name. */
    @Test
    void fileOfTheSameNameInAnotherFolder() throws Exception {
        needUnshare();
        Path wal = DatabaseFile.WAL.beside(main);
        String script = "mount -t tmpfs tmpfs \"$1\" && exec sh -c 'exec sleep 300 <> \"$1\"' sh \"$2\"";
        String folder = main.getParent().toString();
        start("unshare", "-m", "sh", "-c", script, "sh", folder, main.toString());
        start("unshare", "-m", "sh", "-c", script, "sh", folder, wal.toString());
        assertThat(Files.exists(wal)).isFalse();
        assertThat(new Holders().foreign(List.of(main), LIMIT)).isEmpty();
    }

    private static void needUnshare() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may unshare, so this cannot be acted");
        Children.need("unshare");
    }

    private long hold(String how, Path file, String... before) throws IOException {
        List<String> command = new ArrayList<>(List.of(before));
        command.addAll(List.of("sh", "-c", "exec sleep 300 " + how + " \"$1\"", "sh", file.toString()));
        return start(command.toArray(String[]::new));
    }

    private long start(String... command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        processes.add(process);
        await().until(() -> process.info().command().orElse("").endsWith("sleep"));
        return process.pid();
    }
}
