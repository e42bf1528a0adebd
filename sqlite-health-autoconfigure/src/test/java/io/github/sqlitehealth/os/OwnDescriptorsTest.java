package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnDescriptorsTest {

    private static final PosixLock SHM_LOCK = new PosixLock("READ", 128, 128);
    private static final PosixLock MAIN_LOCK = new PosixLock("READ", 1073741826, 1073742335);

    @TempDir
    Path folder;

    private final OwnDescriptors own = new OwnDescriptors();

    @BeforeEach
    void needProc() {
        Children.needProc();
    }

    @Test
    void anOpenFileIsTheFileAtItsPath() throws Exception {
        Path file = Files.writeString(folder.resolve("a é #%20?.db"), "12345");
        try (InputStream open = new FileInputStream(file.toFile())) {
            Descriptor descriptor = on(file);
            assertThat(descriptor.id()).isEqualTo(FileFacts.of(file).id());
            assertThat(descriptor.size()).isEqualTo(5);
            assertThat(descriptor.deleted()).isFalse();
            assertThat(open.read()).isEqualTo('1');
        }
        assertThat(own.held()).extracting(Descriptor::link).doesNotContain(real(file));
    }

    @Test
    void anUnlinkedFileIsTheOldOneEvenWhenANewOneHasItsName() throws Exception {
        Path file = Files.writeString(folder.resolve("a.db"), "old");
        FileId id = FileFacts.of(file).id();
        try (InputStream open = new FileInputStream(file.toFile())) {
            String link = real(file);
            Files.delete(file);
            Files.writeString(file, "a new one");
            Descriptor descriptor = only(link + " (deleted)");
            assertThat(descriptor.id())
                    .isEqualTo(id)
                    .isNotEqualTo(FileFacts.of(file).id());
            assertThat(descriptor.size()).isEqualTo(3);
            assertThat(descriptor.name()).isEqualTo(link);
            assertThat(open.available()).isEqualTo(3);
        }
    }

    @Test
    void aRenamedFileShowsItsNewNameAndItsOldId() throws Exception {
        Path file = Files.writeString(folder.resolve("a.db"), "old");
        FileId id = FileFacts.of(file).id();
        try (InputStream open = new FileInputStream(file.toFile())) {
            Path renamed = Files.move(file, folder.resolve("b.db"));
            assertThat(on(renamed).id()).isEqualTo(id);
            assertThat(open.available()).isEqualTo(3);
        }
    }

    @Test
    void onlyRegularFilesAreListed() throws Exception {
        assertThat(own.held())
                .isNotEmpty()
                .extracting(Descriptor::link)
                .allSatisfy(link -> assertThat(link).startsWith("/").doesNotStartWith("/proc/"))
                .doesNotContain("/dev/null", "/dev/urandom");
    }

    @Test
    void theLocksOfAnOpenWalConnectionAreSeen() throws Exception {
        Path main = folder.resolve("locks.db");
        try (Connection connection = open(main)) {
            assertThat(connection.isClosed()).isFalse();
            assertThat(locks(main, DatabaseFile.SHM)).contains(SHM_LOCK);
            assertThat(locks(main, DatabaseFile.MAIN)).contains(MAIN_LOCK);
            assertThat(locks(main, DatabaseFile.WAL)).isEmpty();
        }
        assertThat(own.held()).extracting(Descriptor::link).doesNotContain(real(main));
    }

    /** The iron rule of this package, and the proof that this test would notice a breach. */
    @Test
    void nothingHereDropsALockButOneOpenAndCloseDoes() throws Exception {
        Path main = folder.resolve("harm.db");
        try (Connection connection = open(main);
                DirectoryWatch watch = new DirectoryWatch(path -> true)) {
            assertThat(connection.isClosed()).isFalse();
            for (DatabaseFile file : DatabaseFile.values()) {
                FileFacts.of(file.beside(main));
                new Volumes().of(file.beside(main));
                new Volumes(folder).of(file.beside(main));
            }
            new Holders().find(main, Map.of(), Duration.ofSeconds(20));
            watch.watch(folder);
            watch.poll(Duration.ofMillis(50));
            assertThat(locks(main, DatabaseFile.SHM)).contains(SHM_LOCK);
            assertThat(locks(main, DatabaseFile.MAIN)).contains(MAIN_LOCK);

            FileChannel.open(main, StandardOpenOption.READ).close();
            assertThat(locks(main, DatabaseFile.SHM)).contains(SHM_LOCK);
            assertThat(locks(main, DatabaseFile.MAIN)).isEmpty();
        }
    }

    @Test
    void lsofDropsNoLockEither() throws Exception {
        Children.need("lsof");
        Path main = folder.resolve("harm.db");
        try (Connection connection = open(main)) {
            assertThat(connection.isClosed()).isFalse();
            Holders holders = new Holders(folder, "lsof");
            assertThat(holders.find(main, Map.of(), Duration.ofSeconds(20)).holders())
                    .hasSize(1);
            assertThat(holders.ownByLsof(Duration.ofSeconds(20))).isNotEmpty();
            assertThat(locks(main, DatabaseFile.SHM)).contains(SHM_LOCK);
            assertThat(locks(main, DatabaseFile.MAIN)).contains(MAIN_LOCK);
        }
    }

    @Test
    void aClosedDescriptorHasNoLocks() throws Exception {
        assertThat(own.locks(999_999)).isEmpty();
    }

    @Test
    void fiveThousandDescriptorsTakeMilliseconds() throws Exception {
        Path file = Files.createFile(folder.resolve("many"));
        List<InputStream> open = new ArrayList<>();
        try {
            openMany(file, open);
            long best = Long.MAX_VALUE;
            for (int i = 0; i < 10; i++) {
                long start = System.nanoTime();
                assertThat(own.held()).hasSizeGreaterThanOrEqualTo(5_000);
                best = Math.min(best, System.nanoTime() - start);
            }
            System.out.printf("5,000 descriptors: %.1f ms warm%n", best / 1e6);
            assertThat(Duration.ofNanos(best)).isLessThan(Duration.ofSeconds(2));
        } finally {
            for (InputStream stream : open) {
                stream.close();
            }
        }
    }

    private static void openMany(Path file, List<InputStream> open) {
        try {
            for (int i = 0; i < 5_000; i++) {
                open.add(new FileInputStream(file.toFile()));
            }
        } catch (IOException e) {
            abort("this process may not open 5,000 files: " + e.getMessage());
        }
    }

    @Test
    void descriptorsThatComeAndGoMeanwhileAreNoTrouble() throws Exception {
        Path file = Files.createFile(folder.resolve("churn"));
        Thread churn = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try (InputStream open = new FileInputStream(file.toFile())) {
                    open.available();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        churn.start();
        try {
            for (int i = 0; i < 200; i++) {
                assertThat(own.held()).isNotEmpty();
            }
        } finally {
            churn.interrupt();
            churn.join();
        }
    }

    @Test
    void aHiddenProcIsSaidToBeUnreadable() throws Exception {
        assertThat(own.readable()).isTrue();
        OwnDescriptors hidden = new OwnDescriptors(folder);
        assertThat(hidden.readable()).isFalse();
        assertThatThrownBy(hidden::held).isInstanceOf(IOException.class);
        assertThat(hidden.locks(1)).isEmpty();
    }

    private static Connection open(Path main) throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + main);
        try (Statement statement = connection.createStatement()) {
            statement.execute("pragma journal_mode=wal");
            statement.execute("create table t(x)");
            statement.execute("insert into t values (1)");
            statement.executeQuery("select * from t").close();
        }
        return connection;
    }

    private List<PosixLock> locks(Path main, DatabaseFile file) throws IOException {
        return own.locks(on(file.beside(main)).fd());
    }

    private Descriptor on(Path file) throws IOException {
        return only(real(file));
    }

    private Descriptor only(String link) throws IOException {
        List<Descriptor> found =
                own.held().stream().filter(one -> one.link().equals(link)).toList();
        assertThat(found).as(link).isNotEmpty();
        return found.get(0);
    }

    private static String real(Path file) {
        return RealPath.of(file).toString();
    }
}
