package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.RunningRead;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.Collation;

/** Rescue copies of a database whose sidecars have lost their names. */
class RescueCopiesTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long LARGE = 1L << 30;

    @TempDir
    Path temporary;

    private Path file;
    private ForensicsDirectory directory;
    private Connection application;
    private Anchor anchor;

    @BeforeEach
    void strand() throws Exception {
        Path folder = temporary.toRealPath();
        file = Outside.database(folder.resolve("app.db"), 10);
        directory = new ForensicsDirectory(folder.resolve("app.db-forensics"));
        application = DriverManager.getConnection("jdbc:sqlite:" + file);
        execute("INSERT INTO t(body) VALUES ('before')");
        anchor = new Anchor(file, true);
        anchor.open();
        Outside.sh("rm \"$1\"-wal \"$1\"-shm", file);
        execute("INSERT INTO t(body) VALUES ('after')");
    }

    @AfterEach
    void close() throws SQLException {
        anchor.close();
        application.close();
    }

    @Test
    void holdsWhatNobodyElseCanSeeForItsOwnerOnly() throws Exception {
        RescueCopies copies = copies(LARGE);
        assertThat(copies.coverAll()).isFalse();
        RescueCopy copy = copies.take(LONG);
        assertThat(copy.verified()).isTrue();
        assertThat(copies.last()).isEqualTo(copy);
        assertThat(copies.coverAll()).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy.file())))
                .isEqualTo("rw-------");
        assertThat(rows(copy)).isEqualTo(12);
        execute("INSERT INTO t(body) VALUES ('later')");
        assertThat(copies.coverAll()).isFalse();
        assertThat(files()).containsExactly(copy.file());
    }

    @Test
    void theNewestTwoAreKeptAndThoseOfAnEarlierIncidentForEver() throws Exception {
        RescueCopy earlier = copies(LARGE).take(LONG);
        RescueCopies copies = copies(LARGE);
        copies.take(LONG);
        RescueCopy second = copies.take(LONG);
        RescueCopy third = copies.take(LONG);
        assertThat(files()).containsExactlyInAnyOrder(earlier.file(), second.file(), third.file());
    }

    @Test
    void refusesWhatIsTooLargeOrDoesNotFit() throws Exception {
        refused(copies(4096), "sqlite.health.stranded.rescue-max-size allows (4096 bytes)");
        refused(copies(0), "the database has 1 MB");
        assertThat(files()).isEmpty();
        anchor.close();
        refused(copies(LARGE), "no connection of the monitor was open");
        assertThat(files()).isEmpty();
    }

    @Test
    void whatTheMonitorsConnectionDoesNotUnderstandIsCopiedPageByPage() throws Exception {
        Collation.create(application, "german", new Collation() {
            @Override
            protected int xCompare(String one, String other) {
                return one.compareToIgnoreCase(other);
            }
        });
        execute("CREATE TABLE g(x TEXT COLLATE german UNIQUE)", "INSERT INTO g VALUES ('a'), ('b')");
        RescueCopy copy = copies(LARGE).take(LONG);
        assertThat(copy.verified()).isTrue();
        assertThat(copy.check()).isNotEqualTo("ok");
        assertThat(rows(copy)).isEqualTo(12);
        assertThat(Outside.sqlite3(copy.file(), "SELECT count(*) FROM g NOT INDEXED"))
                .isEqualTo("2");
        // The copy left no transaction behind.
        execute("INSERT INTO g VALUES ('c')");
        assertThat(anchor.seen()).isNotEqualTo(copy.seen());
    }

    @Test
    void aCopyThatIsCutShortLeavesNothingAndTheEarlierOneAlone() throws Exception {
        execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
                + " INSERT INTO t(body) SELECT hex(randomblob(250)) FROM n");
        RescueCopies copies = copies(LARGE);
        RescueCopy first = copies.take(LONG);
        AtomicReference<Thread> copying = new AtomicReference<>();
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            copying.set(Thread.currentThread());
            refused(copies, "no rescue copy could be taken");
        });
        await().until(() -> files().size() > 1);
        while (!second.isDone()) {
            RunningRead.cancel(copying.get());
        }
        second.join();
        assertThat(files()).containsExactly(first.file());
        assertThat(copies.last()).isEqualTo(first);
    }

    @Test
    void aCopyThatDoesNotPassIsKeptUnderAnotherNameUntilThereIsABetterOne() throws Exception {
        RescueCopies copies = copies(LARGE);
        execute(
                "CREATE TABLE broken(a INTEGER)",
                "INSERT INTO broken VALUES (NULL)",
                "PRAGMA writable_schema=ON",
                "UPDATE sqlite_schema SET sql = 'CREATE TABLE broken(a INTEGER NOT NULL)' WHERE name = 'broken'",
                "PRAGMA schema_version=99");
        refused(copies, "kept but not verified");
        refused(copies, "NULL value in broken.a");
        assertThat(files()).hasSize(1);
        RescueCopy doubtful = Objects.requireNonNull(copies.last());
        assertThat(doubtful.verified()).isFalse();
        assertThat(rows(doubtful)).isEqualTo(12);
        assertThat(copies.coverAll()).isFalse();

        execute("UPDATE broken SET a = 1");
        RescueCopy sound = copies.take(LONG);
        assertThat(files()).containsExactly(sound.file());
    }

    @Test
    void whatAKilledProcessLeftHalfDoneIsRemoved() throws Exception {
        RescueCopy copy = copies(LARGE).take(LONG);
        long gone = new ProcessBuilder("true").start().onExit().join().pid();
        Path left = directory.createEmpty("rescue-20260101T000000.000Z-" + gone + "-1.tmp");
        Path ours = directory.createEmpty(
                "rescue-20260101T000000.000Z-" + ProcessHandle.current().pid() + "-1.tmp-journal");
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            Path theirs = directory.createEmpty("rescue-20260101T000000.000Z-" + other.pid() + "-1.tmp");
            RescueRemains.sweep(directory);
            assertThat(left).doesNotExist();
            assertThat(ours).doesNotExist();
            assertThat(theirs).exists();
        } finally {
            other.destroyForcibly();
        }
        assertThat(RescueRemains.copies(directory)).containsExactly(copy.file());
    }

    private RescueCopies copies(long maxSize) {
        return new RescueCopies(directory, anchor, new Volumes(), maxSize, Timepiece.system());
    }

    private static void refused(RescueCopies copies, String why) {
        assertThatExceptionOfType(CopyRefusedException.class)
                .isThrownBy(() -> copies.take(LONG))
                .withMessageContaining(why)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
    }

    private static long rows(RescueCopy copy) throws IOException, InterruptedException {
        return Long.parseLong(Outside.sqlite3(copy.file(), "SELECT count(*) FROM t"));
    }

    private List<Path> files() throws IOException {
        if (!Files.isDirectory(directory.path())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory.path())) {
            return files.toList();
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Statement statement = application.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
