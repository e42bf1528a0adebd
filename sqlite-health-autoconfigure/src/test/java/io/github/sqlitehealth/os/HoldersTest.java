package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HoldersTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** The two ways to ask; every test that has a parameter must be answered alike by both. */
    enum Way {
        PROC,
        LSOF;

        Holders holders(Path hidden) {
            if (this == PROC) {
                Children.needProc();
                return new Holders();
            }
            Children.need("lsof");
            return new Holders(hidden, "lsof");
        }
    }

    @TempDir
    Path folder;

    private final Children children = new Children();
    private Path hidden;
    private Path main;

    @BeforeEach
    void files() throws IOException {
        hidden = Files.createDirectory(folder.resolve("no-proc"));
        main = folder.resolve("my é #1.db");
    }

    @AfterEach
    void endChildren() {
        children.close();
    }

    @ParameterizedTest
    @EnumSource
    void aForeignProcessIsNamedWithoutItsArguments(Way way) throws Exception {
        Files.writeString(main, "x");
        long pid = children.hold(main);
        Scan scan = find(way, Map.of());
        assertThat(scan.holders()).hasSize(1);
        Holder holder = scan.holders().get(0);
        assertThat(holder.pid()).isEqualTo(pid);
        assertThat(holder.command()).isEqualTo("sleep");
        assertThat(holder.user()).isEqualTo(Files.getOwner(main).getName());
        assertThat(holder.started())
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(2));
        assertThat(holder.self()).isFalse();
        assertThat(holder.descriptors()).containsExactly(new HeldFile(0, "main", inode(main), false, false, List.of()));
        assertThat(scan.complete()).isEqualTo(scan.note().isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void thisProcessIsAmongTheHolders(Way way) throws Exception {
        Files.writeString(main, "x");
        long other = children.hold(main);
        try (InputStream open = new FileInputStream(main.toFile())) {
            assertThat(open.available()).isEqualTo(1);
            Scan scan = find(way, Map.of());
            long self = ProcessHandle.current().pid();
            assertThat(scan.holders())
                    .extracting(Holder::pid)
                    .containsExactlyInAnyOrder(self, other)
                    .isSorted();
            assertThat(scan.holders()).filteredOn(Holder::self).singleElement().satisfies(holder -> {
                assertThat(holder.pid()).isEqualTo(self);
                assertThat(holder.descriptors()).hasSize(1);
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void unlinkedFileIsStaleAndDeleted(Way way) throws Exception {
        Files.writeString(main, "x");
        long inode = inode(main);
        children.hold(main);
        Files.delete(main);
        assertThat(only(find(way, Map.of()))).isEqualTo(new HeldFile(0, "main", inode, true, true, List.of()));
    }

    @ParameterizedTest
    @EnumSource
    void ownUnlinkedFileIsStaleAndDeleted(Way way) throws Exception {
        Path wal = Files.writeString(DatabaseFile.WAL.beside(main), "x");
        long inode = inode(wal);
        try (InputStream open = new FileInputStream(wal.toFile())) {
            Files.delete(wal);
            HeldFile held = only(find(way, Map.of()));
            assertThat(held.file()).isEqualTo("wal");
            assertThat(held.inode()).isEqualTo(inode);
            assertThat(held.deleted()).isTrue();
            assertThat(held.stale()).isTrue();
            assertThat(open.available()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void replacedFileIsStaleAndTheHolderOfTheNewOneIsNot(Way way) throws Exception {
        Files.writeString(main, "old");
        long old = inode(main);
        long first = children.hold(main);
        Files.move(Files.writeString(folder.resolve("new"), "new"), main, StandardCopyOption.REPLACE_EXISTING);
        long second = children.hold(main);
        Scan scan = find(way, Map.of());
        assertThat(heldBy(scan, first).inode()).isEqualTo(old);
        assertThat(heldBy(scan, first).stale()).isTrue();
        assertThat(heldBy(scan, first).deleted()).isTrue();
        assertThat(heldBy(scan, second).inode()).isEqualTo(inode(main));
        assertThat(heldBy(scan, second).stale()).isFalse();
        assertThat(heldBy(scan, second).deleted()).isFalse();
    }

    @Test
    void renamedFileIsFoundByItsIdOnly() throws Exception {
        Files.writeString(main, "x");
        FileId id = FileFacts.of(main).id();
        children.hold(main);
        Files.move(main, folder.resolve("elsewhere"));
        assertThat(find(Way.PROC, Map.of()).holders()).isEmpty();
        assertThat(only(find(Way.PROC, Map.of(DatabaseFile.MAIN, Set.of(id)))))
                .isEqualTo(new HeldFile(0, "main", id.inode(), false, true, List.of()));
    }

    @ParameterizedTest
    @EnumSource
    void ownRenamedFileIsFoundByItsId(Way way) throws Exception {
        Files.writeString(main, "x");
        FileId id = FileFacts.of(main).id();
        try (InputStream open = new FileInputStream(main.toFile())) {
            Files.move(main, folder.resolve("elsewhere"));
            HeldFile held = only(find(way, Map.of(DatabaseFile.MAIN, Set.of(id))));
            assertThat(held.stale()).isTrue();
            assertThat(held.deleted()).isFalse();
            assertThat(open.available()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFileBehindALinkIsTheSameFile(Way way) throws Exception {
        Files.writeString(main, "x");
        Path link = Files.createSymbolicLink(folder.resolve("link.db"), main);
        long pid = children.hold(link);
        Files.delete(main);
        Scan scan = way.holders(hidden).find(link, Map.of(), LIMIT);
        assertThat(heldBy(scan, pid).stale()).isTrue();
    }

    @Test
    void theFilesAndLocksOfAnotherSqliteAreTold() throws Exception {
        Children.needProc();
        long pid = children.sqlite(
                main, "pragma journal_mode=wal; create table t(x); begin immediate; insert into t values(1);");
        Scan scan = find(Way.PROC, Map.of());
        Holder holder = scan.holders().get(0);
        assertThat(holder.pid()).isEqualTo(pid);
        assertThat(holder.command()).isEqualTo("sqlite3");
        assertThat(holder.descriptors())
                .isSortedAccordingTo(Comparator.comparingInt(HeldFile::fd))
                .extracting(HeldFile::file)
                .containsExactlyInAnyOrder("main", "wal", "shm");
        assertThat(locks(holder, "main")).containsExactly(new PosixLock("READ", 1073741826, 1073742335));
        assertThat(locks(holder, "shm")).contains(new PosixLock("READ", 128, 128), new PosixLock("WRITE", 120, 120));
        assertThat(locks(holder, "wal")).isEmpty();
    }

    @Test
    void lsofTellsThatThereAreLocksButNotOnWhichBytes() throws Exception {
        long pid = children.sqlite(main, "pragma journal_mode=wal; create table t(x); begin; select * from t;");
        Scan scan = find(Way.LSOF, Map.of());
        Holder holder = scan.holders().get(0);
        assertThat(holder.pid()).isEqualTo(pid);
        assertThat(locks(holder, "main")).containsExactly(new PosixLock("READ", -1, -1));
    }

    @ParameterizedTest
    @EnumSource
    void nobodyIsFoundWhereNobodyHoldsIt(Way way) throws Exception {
        Files.writeString(main, "x");
        children.hold(Files.writeString(folder.resolve("another.db"), "x"));
        assertThat(find(way, Map.of()).holders()).isEmpty();
        Files.delete(main);
        assertThat(find(way, Map.of()).holders()).isEmpty();
    }

    @Test
    void theScanStopsAtItsLimitAndSaysSo() throws Exception {
        Children.needProc();
        Files.writeString(main, "x");
        Scan scan = new Holders().find(main, Map.of(), Duration.ZERO);
        assertThat(scan.complete()).isFalse();
        assertThat(scan.note()).contains("stopped after 0 ms");
    }

    /** A fake proc in which the look at one process never comes back, as with a file on a dead network mount. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aLookThatHangsCostsNoMoreThanTheLimitAndLosesNothingSeenBefore() throws Exception {
        Children.need("mkfifo");
        Files.writeString(main, "x");
        Path proc = Files.createDirectory(folder.resolve("fake-proc"));
        Files.createSymbolicLink(proc.resolve("self"), Path.of("777"));
        for (String pid : List.of("777", "888")) {
            Files.createDirectories(proc.resolve(pid).resolve("fdinfo"));
            Files.createDirectories(proc.resolve(pid).resolve("fd"));
            Files.createSymbolicLink(proc.resolve(pid).resolve("fd").resolve("7"), main);
            Files.writeString(proc.resolve(pid).resolve("comm"), "fake\n");
        }
        String fifo = proc.resolve("888/fdinfo/7").toString();
        assertThat(new ProcessBuilder("mkfifo", fifo).start().waitFor()).isZero();
        try {
            Scan scan = new Holders(proc, "no-such-lsof").find(main, Map.of(), Duration.ofMillis(300));
            assertThat(scan.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.pid()).isEqualTo(777);
                assertThat(holder.self()).isTrue();
                assertThat(holder.command()).isEqualTo("fake");
            });
            assertThat(scan.note()).isEqualTo("processes of other users are hidden; stopped after 300 ms");
        } finally {
            new ProcessBuilder("sh", "-c", ": > \"$1\"", "sh", fifo).start().waitFor();
        }
    }

    @Test
    void withoutProcAndLsofItIsAnErrorThatSaysWhy() throws Exception {
        Files.writeString(main, "x");
        Holders holders = new Holders(hidden, "no-such-lsof");
        assertThatThrownBy(() -> holders.find(main, Map.of(), LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no descriptors in " + hidden)
                .hasMessageContaining("no-such-lsof is absent");
        assertThatThrownBy(() -> holders.ownByLsof(LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no-such-lsof is absent");
    }

    @Test
    void aProgramThatOnlyHasTheNameOfLsofIsAnError() throws Exception {
        Files.writeString(main, "x");
        // As BusyBox does: it lists everything, in another form, whatever the options say.
        Path busy = Children.script(folder.resolve("lsof"), "#!/bin/sh\nprintf '1\\t/bin/busybox\\t/dev/pts/0\\n'\n");
        assertThatThrownBy(() -> new Holders(hidden, busy.toString()).find(main, Map.of(), LIMIT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("says nothing of this process");
    }

    @Test
    void anLsofThatHangsOrFloodsIsKilledAtTheLimit() throws Exception {
        Files.writeString(main, "x");
        for (String text : new String[] {"#!/bin/sh\nsleep 301\n", "#!/bin/sh\nexec yes p1\n"}) {
            Path slow = Children.script(folder.resolve("slow-lsof"), text);
            long start = System.nanoTime();
            Scan scan = new Holders(hidden, slow.toString()).find(main, Map.of(), Duration.ofMillis(300));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
            assertThat(scan.complete()).isFalse();
            assertThat(scan.note()).contains("stopped after 300 ms");
            Awaitility.await()
                    .until(() -> ProcessHandle.current()
                            .descendants()
                            .noneMatch(child -> child.info()
                                    .commandLine()
                                    .filter(line -> line.contains("slow-lsof")
                                            || line.contains("yes p1")
                                            || line.contains("sleep 301"))
                                    .isPresent()));
        }
    }

    @Test
    void lsofAndProcTellTheSameOfThisProcess() throws Exception {
        Children.needProc();
        Children.need("lsof");
        Path file = Files.writeString(main, "12345");
        try (InputStream open = new FileInputStream(file.toFile())) {
            assertThat(open.available()).isEqualTo(5);
            Descriptor byProc = new OwnDescriptors()
                    .held().stream()
                            .filter(one -> one.link().equals(RealPath.of(file).toString()))
                            .findFirst()
                            .orElseThrow();
            assertThat(new Holders(hidden, "lsof").ownByLsof(LIMIT)).contains(byProc);
        }
    }

    /** The system denies the look at a descriptor of a process that has ended meanwhile, whoever asks. */
    @Test
    void whoHoldsNothingByNatureIsNoUnseenHolder() throws Exception {
        Children.needProc();
        // The shell itself would look after a child that ends before it has become another program.
        Process shell = new ProcessBuilder("sh", "-c", "sleep 0.3 & echo $!; exec sleep 60").start();
        try {
            Path zombie = Path.of("/proc", shell.inputReader().readLine());
            Awaitility.await()
                    .until(() -> Files.readString(zombie.resolve("stat")).contains(") Z "));
            assertThat(ProcWalk.holdsNothing(zombie)).as("a zombie").isTrue();
            assertThat(ProcWalk.holdsNothing(Path.of("/proc", Long.toString(shell.pid()))))
                    .as("one that runs")
                    .isFalse();
        } finally {
            shell.destroyForcibly().waitFor();
        }
        assertThat(ProcWalk.holdsNothing(Path.of("/proc", Long.toString(shell.pid()))))
                .as("one that has ended")
                .isTrue();
        Path kernel = Path.of("/proc/2");
        if (Files.exists(kernel) && ProcWalk.command(kernel).equals("kthreadd")) {
            assertThat(ProcWalk.holdsNothing(kernel))
                    .as("a thread of the kernel")
                    .isTrue();
        }
    }

    /** As in a container, where process 1 may have rights that root inside has not. */
    @Test
    void whoCannotBeReadIsNamedOrCounted() throws Exception {
        Children.needProc();
        Path first = Path.of("/proc/1/fd/0");
        try {
            Files.readSymbolicLink(first);
            Assumptions.abort("process 1 can be read");
        } catch (AccessDeniedException ex) {
            assertThat(find(Way.PROC, Map.of()).note())
                    .containsPattern("process 1 \\([^)]+\\).* could not be read|\\d+ processes could not be read");
        }
    }

    @Test
    void lsofEscapesAreUndone() {
        assertThat(Lsof.unescape("n\\\\o \\xc3\\xa9\\nl\\q\\")).isEqualTo("n\\o é\nl\\q\\");
    }

    private Scan find(Way way, Map<DatabaseFile, Set<FileId>> alsoKnown) throws IOException {
        return way.holders(hidden).find(main, alsoKnown, LIMIT);
    }

    private static HeldFile only(Scan scan) {
        assertThat(scan.holders()).hasSize(1);
        assertThat(scan.holders().get(0).descriptors()).hasSize(1);
        return scan.holders().get(0).descriptors().get(0);
    }

    private static HeldFile heldBy(Scan scan, long pid) {
        return scan.holders().stream()
                .filter(holder -> holder.pid() == pid)
                .flatMap(holder -> holder.descriptors().stream())
                .findFirst()
                .orElseThrow();
    }

    private static java.util.List<PosixLock> locks(Holder holder, String file) {
        return holder.descriptors().stream()
                .filter(held -> held.file().equals(file))
                .flatMap(held -> held.locks().stream())
                .toList();
    }

    private static long inode(Path file) throws IOException {
        return FileFacts.of(file).id().inode();
    }
}
