package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.OneConnection;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.fixture.Scripted;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The monitor with its threads. */
class MonitorTest {

    @TempDir
    Path folder;

    private final Scripted live = new Scripted();
    private final Tuning tuning = new Tuning();
    private Duration hazardsInterval = Duration.ofMinutes(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final Set<Thread> before = threads();
    private Path file;
    private Monitor monitor;

    @BeforeEach
    void aDatabase() throws Exception {
        file = Rig.sound(folder);
    }

    @AfterEach
    void stop() {
        letGo.countDown();
        if (monitor != null) {
            monitor.stop();
        }
    }

    /** Incident 18. */
    @Test
    void aCheckThatHangsIsUnverifiedWhileTheWatchGoesOn() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        live.then(Scripted.OK, Scripted.hanging(started, letGo));
        tuning.quickInterval = Duration.ofMillis(50);
        tuning.staleAfter = Duration.ofMillis(700);
        WatchedDatabase database = start(live);
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> database.state().verdict() == Verdict.UNVERIFIED);
        assertThat(database.state().tickAge(Check.QUICK, database.now())).isGreaterThan(Duration.ofMillis(600));
        await().until(() ->
                database.state().tickAge(Check.IDENTITY, database.now()).compareTo(Duration.ofMillis(600)) < 0);
        assertThat(database.state().latch().first().finding().text()).isEqualTo("no check has come to an end");
        letGo.countDown();
        await().until(() -> database.state().verdict() == Verdict.HEALTHY);
    }

    @Test
    void aSwapIsFoundWhileALongCheckRuns() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        try (Connection connection = connection()) {
            live.then(Scripted.hanging(started, letGo));
            WatchedDatabase database = start(live);
            assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
            Files.delete(DatabaseFile.WAL.beside(file));
            await().atMost(Duration.ofSeconds(5)).until(() -> database.state().verdict() == Verdict.STRANDED);
            assertThat(database.state().ticks()).doesNotContainKey(Check.QUICK);
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void aSwapIsFoundBeforeTheFirstSweepOverADatabase() throws Exception {
        tuning.watchInterval = Duration.ofHours(1);
        tuning.events = true;
        try (Connection connection = connection()) {
            WatchedDatabase database = start(live);
            await().until(() -> database.state().ticks().containsKey(Check.QUICK));
            Files.delete(DatabaseFile.WAL.beside(file));
            await().atMost(Duration.ofSeconds(5)).until(() -> database.state().verdict() == Verdict.STRANDED);
            assertThat(connection.isClosed()).isFalse();
        }
    }

    @Test
    void requestsThatArriveWhileOneRunsShareItsAnswer() throws Exception {
        tuning.firstCheck = null;
        WatchedDatabase database = start(live);
        CountDownLatch started = new CountDownLatch(1);
        live.then(Scripted.hanging(started, letGo));
        CompletableFuture<MonitorState> first = database.check(Check.QUICK);
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<MonitorState> second = database.check(Check.QUICK);
        CompletableFuture<MonitorState> third = database.check(Check.QUICK);
        letGo.countDown();
        MonitorState answer = first.get(10, TimeUnit.SECONDS);
        assertThat(second.get(10, TimeUnit.SECONDS)).isSameAs(answer);
        assertThat(third.get(10, TimeUnit.SECONDS)).isSameAs(answer);
        assertThat(live.checks()).isEqualTo(1);
        assertThat(answer.snapshots())
                .singleElement()
                .satisfies(snapshot -> assertThat(snapshot.reason()).isEqualTo("requested"));
        database.check(Check.QUICK).get(10, TimeUnit.SECONDS);
        assertThat(live.checks()).as("the next request is a new one").isEqualTo(2);
    }

    @Test
    void stopEndsARunningCheckAtOnceAndAnswersWhoeverWaits() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        live.always(Scripted.untilCancelled(started));
        WatchedDatabase database = start(live);
        assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<MonitorState> waiting = database.check(Check.FULL);
        long start = System.nanoTime();
        monitor.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> database.check(Check.QUICK).get(1, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class);
    }

    @Test
    void stopEndsARealCheckThatWouldTakeLong() throws Exception {
        file = Outside.slow(folder.resolve("slow.db"), "wal", 1, 20_000);
        Outside.sqlite3(file, "CREATE TABLE t(body)");
        try (Connection connection = connection()) {
            CountDownLatch started = new CountDownLatch(1);
            LiveHandles real = new OneConnection(connection, true);
            WatchedDatabase database = start(new LiveHandlesThatTell(real, started));
            assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
            long start = System.nanoTime();
            monitor.stop();
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(took).isLessThan(Duration.ofSeconds(3));
            assertThat(database.state().said().quick() == null
                            || !database.state().said().quick().live().ok())
                    .as("it had not come to its end")
                    .isTrue();
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate("INSERT INTO t(body) VALUES ('after')"))
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void stopClosesTheAnchorSoThatTheLastConnectionOfTheApplicationCleansUp() throws Exception {
        Connection connection = connection();
        WatchedDatabase database = start(new OneConnection(connection, true));
        await().until(() -> database.state().ticks().containsKey(Check.QUICK));
        assertThat(descriptors()).as("the application's and ours").isGreaterThan(1);
        monitor.stop();
        connection.close();
        assertThat(descriptors()).isZero();
        assertThat(DatabaseFile.WAL.beside(file)).doesNotExist();
        assertThat(DatabaseFile.SHM.beside(file)).doesNotExist();
    }

    @Test
    void noThreadIsLeft() throws Exception {
        tuning.events = true;
        WatchedDatabase database = start(live);
        await().until(() -> database.state().ticks().containsKey(Check.QUICK));
        assertThat(names(newThreads())).contains("sqlite-health-watch", "sqlite-health-checks");
        assertThat(newThreads()).allMatch(Thread::isDaemon);
        monitor.stop();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(newThreads()).isEmpty());
        assertThat(monitor.isRunning()).isFalse();
    }

    @Test
    void startAfterStopWorksAgain() throws Exception {
        tuning.quickInterval = Duration.ofMinutes(10);
        WatchedDatabase database = start(live);
        await().until(() -> database.state().ticks().containsKey(Check.QUICK));
        monitor.stop();
        monitor.stop();
        int checks = live.checks();
        monitor.start();
        await().until(() -> live.checks() > checks);
        assertThat(monitor.databases()).hasSize(1);
        MonitorState state = database.check(Check.QUICK).get(10, TimeUnit.SECONDS);
        assertThat(state.verdict()).isEqualTo(Verdict.HEALTHY);
        Files.move(file, folder.resolve("elsewhere.db"));
        await().atMost(Duration.ofSeconds(5))
                .until(() -> database.state().verdict() == Verdict.STRANDED
                        || database.state().verdict() == Verdict.MISSING);
        assertThat(names(newThreads()))
                .filteredOn(name -> name.equals("sqlite-health-watch"))
                .hasSize(1);
    }

    /** An incident that was open is found again at once, also where the first check would come late or never. */
    @Test
    void aMemoryThatCannotBeUnderstoodIsAReasonToCheckAtOnce() throws Exception {
        Path memory = Files.createDirectory(Path.of(file + "-forensics")).resolve("state.json");
        Files.writeString(memory, "{\"file\":");
        Outside.damage(file, "t");
        tuning.quickInitialDelay = Duration.ofHours(1);
        tuning.firstCheck = null;
        live.always(Scripted.error(11, "malformed"));
        WatchedDatabase database = start(live);
        await().until(() -> database.state().verdict() == Verdict.DAMAGED);
    }

    /** Without an anchor there is no rescue copy, and the next check may come long after the loss. */
    @Test
    void theAnchorIsOpenedSoonAfterTheDatabaseHasBecomeOneWithAWal() throws Exception {
        Outside.sqlite3(file, "PRAGMA journal_mode=delete");
        tuning.quickInitialDelay = Duration.ofHours(1);
        tuning.firstCheck = null;
        hazardsInterval = Duration.ofMillis(100);
        start(live);
        Outside.sqlite3(file, "PRAGMA journal_mode=wal");
        try (Connection application = connection()) {
            await().until(() -> descriptorsOf("-wal") == 2);
            monitor.stop();
            assertThat(descriptorsOf("-wal")).isEqualTo(1);
            assertThat(application.isClosed()).isFalse();
        }
    }

    private long descriptorsOf(String suffix) throws IOException {
        Path path = Path.of(file + suffix);
        return new OwnDescriptors()
                .held().stream()
                        .filter(each -> each.link().equals(path.toString()))
                        .count();
    }

    @Test
    void twoDataSourcesOnOneFileAreWatchedOnce() throws Exception {
        Scripted other = new Scripted();
        Discovery discovery = new Found(List.of(database("one", live), database("two", other)));
        monitor = monitor(discovery);
        monitor.start();
        await().until(() -> live.checks() > 0 && other.checks() > 0);
        assertThat(monitor.databases()).hasSize(1);
        assertThat(monitor.database("two")).isPresent();
        assertThat(monitor.database("two").orElseThrow().dataSources()).containsExactly("one", "two");
        assertThat(monitor.database("three")).isEmpty();
    }

    @Test
    void aDiscoveryThatFailsIsTriedAgain() throws Exception {
        CountDownLatch calls = new CountDownLatch(2);
        monitor = monitor(new Discovery() {
            @Override
            public List<Database> discover() {
                calls.countDown();
                throw new IllegalStateException("not yet");
            }

            @Override
            public Map<String, String> notWatched() {
                return Map.of("one", "the search has failed");
            }

            @Override
            public boolean complete() {
                return false;
            }
        });
        monitor.start();
        assertThat(calls.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(monitor.whyNotWatched("one")).contains("the search has failed");
    }

    private WatchedDatabase start(LiveHandles handles) {
        monitor = monitor(new Found(List.of(database("db-" + folder.getFileName(), handles))));
        monitor.start();
        await().until(() -> !monitor.databases().isEmpty());
        return monitor.databases().get(0);
    }

    private Monitor monitor(Discovery discovery) {
        return new Monitor(
                tuning.settings(),
                discovery,
                new MonitorListener() {},
                Timepiece.system(),
                new OwnDescriptors(),
                new Holders(),
                new Volumes(),
                new MappedFiles(),
                hazardsInterval);
    }

    private Database database(String name, LiveHandles handles) {
        return new Database(name, file, false, "3", null, mayGrow -> handles);
    }

    private Connection connection() throws Exception {
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t(body) VALUES ('x')");
        }
        return connection;
    }

    private long descriptors() throws IOException {
        return new OwnDescriptors()
                .held().stream()
                        .filter(descriptor -> descriptor.link().equals(file.toString()))
                        .count();
    }

    private Set<Thread> newThreads() {
        Set<Thread> threads = threads();
        threads.removeAll(before);
        return threads;
    }

    @Test
    void whatIsRemovedWhileItIsFoundIsNotWatched() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        Discovery discovery = new Discovery() {

            private List<Database> found = List.of(new Database("gone", file, false, "3.x", null, grow -> live));

            @Override
            public List<Database> discover() {
                List<Database> now = found;
                found = List.of();
                return now;
            }

            @Override
            public boolean isWanted(Database database) {
                asked.countDown();
                return false;
            }

            @Override
            public Map<String, String> notWatched() {
                return Map.of();
            }

            @Override
            public boolean complete() {
                return true;
            }
        };
        monitor = new Monitor(
                tuning.settings(),
                discovery,
                new MonitorListener() {},
                Timepiece.system(),
                new OwnDescriptors(),
                new Holders(),
                new Volumes());
        monitor.start();
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> monitor.databases().isEmpty());
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("sqlite-health"))
                .collect(Collectors.toSet());
    }

    private static List<String> names(Set<Thread> threads) {
        return threads.stream().map(Thread::getName).toList();
    }

    /** Finds what it was given, once. */
    private static final class Found implements Discovery {

        private List<Database> found;

        Found(List<Database> found) {
            this.found = found;
        }

        @Override
        public List<Database> discover() {
            List<Database> now = found;
            found = List.of();
            return now;
        }

        @Override
        public Map<String, String> notWatched() {
            return Map.of();
        }

        @Override
        public boolean complete() {
            return true;
        }
    }

    /** Tells when a connection is lent. */
    private record LiveHandlesThatTell(LiveHandles handles, CountDownLatch lent) implements LiveHandles {

        @Override
        public io.github.sqlitehealth.witness.LiveHandle take(Set<String> not) throws java.sql.SQLException {
            lent.countDown();
            return handles.take(not);
        }

        @Override
        public Set<String> open() {
            return handles.open();
        }

        @Override
        public boolean mayBeOpen() {
            return handles.mayBeOpen();
        }
    }
}
