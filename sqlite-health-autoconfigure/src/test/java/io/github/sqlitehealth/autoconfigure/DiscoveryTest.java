package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Evidence;
import io.github.sqlitehealth.it.LogLines;
import io.github.sqlitehealth.it.Outside;
import io.github.sqlitehealth.monitor.Database;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.sqlite.SQLiteDataSource;

/** Incident 37, and what discovery promises: it finds every SQLite file and creates none. */
class DiscoveryTest {

    @TempDir
    Path temporary;

    private Path folder;
    private final ApplicationContextRunner app = Apps.observed();

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfDataSourceIsWatchedAndItsOwnConnectionIsAsked(DataSourceKind kind) throws SQLException {
        Path file = Db.wal(folder.resolve("app.db"));
        app.withBean("ds", DataSource.class, () -> kind.of(file)).run(context -> {
            Db.execute(context.getBean(DataSource.class), "SELECT 1");
            WatchedDatabase database = Apps.checked(context, "ds");
            assertThat(database.state().file()).isEqualTo(file);
            await().untilAsserted(() ->
                    assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.OK));
            assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OPAQUE")
    void discoveryCreatesNoFileAndFindsTheOneThatTheApplicationCreates(DataSourceKind kind) throws Exception {
        Path file = folder.resolve("not yet/app.db");
        Files.createDirectory(file.getParent());
        FileTime untouched = Files.getLastModifiedTime(file.getParent());
        DataSource dataSource = kind.of(file);
        DataSourceDiscovery discovery = discovery(Map.of("ds", dataSource), List.of());
        for (int round = 0; round < 10; round++) {
            assertThat(discovery.discover()).isEmpty();
            // A file that came and went would be seen by the time of its folder.
            assertThat(file.getParent()).isEmptyDirectory();
            assertThat(Files.getLastModifiedTime(file.getParent())).isEqualTo(untouched);
        }
        assertThat(discovery.complete()).isFalse();
        assertThat(discovery.notWatched().get("ds")).contains("There is no file yet");
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("CREATE TABLE t (id INTEGER)");
            assertThat(discovery.discover()).extracting(Database::file).containsExactly(file);
        }
        assertThat(discovery.complete()).isTrue();
        assertThat(discovery.notWatched()).isEmpty();
        close(dataSource);
    }

    @Test
    void aFileInAFolderThatDoesNotExistIsNoAlarmAndCreatesNothing() {
        Path file = folder.resolve("wrong/path/app.db");
        try (LogLines log = new LogLines()) {
            app.withBean("misplaced", DataSource.class, () -> Db.pool(file, 1)).run(context -> {
                Monitor monitor = context.getBean(Monitor.class);
                await().until(() -> monitor.whyNotWatched("misplaced").isPresent());
                assertThat(Apps.indicator(context).health().getStatus().getCode())
                        .isEqualTo("UNKNOWN");
                assertThat(String.valueOf(
                                Apps.indicator(context).health().getDetails().get("summary")))
                        .contains("There is no file yet");
            });
            assertThat(log.with("misplaced")).hasSize(1);
            assertThat(log.with("ERROR", file.toString())).isEmpty();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void theFirstStartWithoutAFileIsQuietUntilTheApplicationHasCreatedItsSchema() throws Exception {
        Path file = folder.resolve("first.db");
        try (LogLines log = new LogLines()) {
            app.withBean("ds", DataSource.class, () -> Db.pool(file, 2)).run(context -> {
                Monitor monitor = context.getBean(Monitor.class);
                await().until(() -> monitor.whyNotWatched("ds").isPresent());
                DataSource dataSource = context.getBean(DataSource.class);
                // A connection creates an empty file: still nothing is amiss.
                dataSource.getConnection().close();
                WatchedDatabase database = Apps.checked(context, "ds");
                assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
                Db.execute(dataSource, "PRAGMA journal_mode=WAL", "CREATE TABLE t (id INTEGER)");
                check(database, Check.QUICK);
                check(database, Check.FULL);
                assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
                Evidence.assertNothingNamed(context, "ds");
            });
            assertThat(log.with("[ds]", file.toString())).isEmpty();
        }
    }

    @Test
    void aLazyConnectionFetchIsLookedThrough() throws SQLException {
        Path file = Db.wal(folder.resolve("lazy.db"));
        app.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=" + Db.url(file), "spring.datasource.connection-fetch=lazy")
                .run(context -> {
                    assertThat(Apps.checked(context, "dataSource").state().file())
                            .isEqualTo(file);
                    Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                    Evidence.assertHeard(context, "dataSource");
                    Evidence.assertNothingNamed(context, "dataSource");
                });
    }

    @Test
    void eachTargetOfARoutingDataSourceIsADatabaseOfItsOwn() throws SQLException {
        Path eu = Db.wal(folder.resolve("eu.db"));
        Path us = Db.wal(folder.resolve("us.db"));
        app.withBean("router", DataSource.class, () -> router(Map.of("eu", sqlite(eu), "us/east", sqlite(us))))
                .run(context -> {
                    assertThat(Apps.checked(context, "router.eu").state().file())
                            .isEqualTo(eu);
                    assertThat(Apps.checked(context, "router.us_east").state().file())
                            .isEqualTo(us);
                    assertThat(context.getBean(Monitor.class).databases()).hasSize(2);
                    Evidence.assertNothingNamed(context, "router.eu");
                    Evidence.assertNothingNamed(context, "router.us_east");
                    // The pools of a routing DataSource are not the application context's, where there are any.
                    Evidence.assertHeard(context, "router.eu", Witness.WRITES);
                    Evidence.assertHeard(context, "router.us_east", Witness.WRITES);
                });
    }

    @Test
    void aRoutingDataSourceIsSeenBehindALazyOneAndBehindAnother() throws SQLException {
        Path eu = Db.wal(folder.resolve("eu.db"));
        Path us = Db.wal(folder.resolve("us.db"));
        AbstractRoutingDataSource inner = router(Map.of("us", sqlite(us)));
        Map<String, DataSource> found = beans(
                        Map.of(
                                "lazy",
                                new LazyConnectionDataSourceProxy(router(Map.of("eu", sqlite(eu), "other", inner)))),
                        List.of())
                .all();
        assertThat(found).containsOnlyKeys("lazy.eu", "lazy.other.us");
    }

    @Test
    void theDefaultOfARoutingDataSourceIsWatchedByTheNameOfTheBean() throws SQLException {
        DataSource fallback = sqlite(Db.wal(folder.resolve("default.db")));
        AbstractRoutingDataSource router = router(Map.of("eu", sqlite(Db.wal(folder.resolve("eu.db")))));
        router.setDefaultTargetDataSource(fallback);
        router.afterPropertiesSet();
        Map<String, DataSource> found =
                beans(Map.of("router", router), List.of()).all();
        assertThat(found).containsOnlyKeys("router", "router.eu").containsEntry("router", fallback);
    }

    @Test
    void aTargetThatIsABeanKeepsTheNameOfTheBean() throws SQLException {
        DataSource eu = sqlite(Db.wal(folder.resolve("eu.db")));
        DataSource us = sqlite(Db.wal(folder.resolve("us.db")));
        app.withBean("europe", DataSource.class, () -> eu)
                .withBean("router", DataSource.class, () -> router(Map.of("eu", eu, "us", us)))
                .run(context -> {
                    Apps.watched(context, "europe");
                    Apps.watched(context, "router.us");
                    Monitor monitor = context.getBean(Monitor.class);
                    assertThat(monitor.databases())
                            .extracting(WatchedDatabase::name)
                            .containsExactlyInAnyOrder("europe", "router.us");
                    assertThat(monitor.database("router.eu")).isEmpty();
                });
    }

    @Test
    void whatIsExcludedIsLeftAloneAlsoAsATarget() throws SQLException {
        DataSource eu = sqlite(Db.wal(folder.resolve("eu.db")));
        DataSource us = sqlite(Db.wal(folder.resolve("us.db")));
        app.withBean("europe", DataSource.class, () -> eu)
                .withBean("router", DataSource.class, () -> router(Map.of("eu", eu, "us", us)))
                .withPropertyValues("sqlite.health.exclude=europe")
                .run(context -> {
                    Apps.checked(context, "router.us");
                    assertThat(context.getBean(Monitor.class).databases())
                            .extracting(WatchedDatabase::name)
                            .containsExactly("router.us");
                });
        assertThat(beans(Map.of("router", router(Map.of("eu", eu, "us", us))), List.of("router.eu"))
                        .all())
                .containsOnlyKeys("router.us");
    }

    @Test
    void twoDataSourcesOnOneFileAreOneFileWatchedOnceWithTheConnectionsOfBoth() throws Exception {
        Path file = Db.wal(folder.resolve("shared.db"));
        Path link = Files.createSymbolicLink(folder.resolve("link.db"), file);
        app.withBean("one", HikariDataSource.class, () -> Db.pool(file, 2))
                .withBean("two", HikariDataSource.class, () -> Db.pool(link, 2))
                .run(context -> {
                    WatchedDatabase database = Apps.checked(context, "one");
                    await().until(() -> database.dataSources().size() == 2);
                    Monitor monitor = context.getBean(Monitor.class);
                    assertThat(monitor.databases()).hasSize(1);
                    assertThat(database.dataSources()).containsExactlyInAnyOrder("one", "two");
                    assertThat(monitor.database("two")).containsSame(database);
                    // With the connections of one all in use, live still answers through the other.
                    for (String busy : List.of("one", "two")) {
                        HikariDataSource pool = context.getBean(busy, HikariDataSource.class);
                        try (Connection first = pool.getConnection();
                                Connection second = pool.getConnection()) {
                            assertThat(first).isNotSameAs(second);
                            String other = busy.equals("one") ? "two" : "one";
                            Db.execute(context.getBean(other, DataSource.class), "SELECT 1");
                            check(database, Check.QUICK);
                            assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.OK);
                        }
                    }
                    Evidence.assertNothingNamed(context, "one");
                    Evidence.assertHeard(context, "one");
                    assertThat(Evidence.health(context, "two").getDetails()).containsEntry("verdict", "HEALTHY");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:sqlite::memory:",
                "jdbc:sqlite:",
                "jdbc:sqlite::memory:?foreign_keys=on",
                "jdbc:sqlite:file::memory:",
                "jdbc:sqlite:file::memory:?cache=shared",
                "jdbc:sqlite:file:memdb?mode=memory&cache=shared",
            })
    void aDatabaseInMemoryIsLeftAloneAndThatIsSaidOnce(String url) throws IOException {
        try (LogLines log = new LogLines()) {
            String name = "memory" + Integer.toHexString(url.hashCode());
            app.withBean(name, DataSource.class, () -> Db.pool(url, 1))
                    // This one stays open, so that there are several rounds.
                    .withBean("later", DataSource.class, () -> Db.pool(folder.resolve("later.db"), 1))
                    .run(context -> {
                        Monitor monitor = context.getBean(Monitor.class);
                        await().until(() -> monitor.whyNotWatched("later").isPresent());
                        Db.execute(context.getBean("later", DataSource.class), "SELECT 1");
                        Apps.watched(context, "later");
                        assertThat(monitor.databases()).hasSize(1);
                        assertThat(monitor.whyNotWatched(name).orElseThrow()).contains("in memory");
                        // One database is left: the indicator itself, no composite.
                        assertThat(Apps.indicator(context).health().getDetails())
                                .containsEntry("database", "later");
                        Evidence.assertNothingNamed(context, "later");
                    });
            assertThat(log.with("The DataSource " + name + " is not watched")).hasSize(1);
        }
        try (Stream<Path> files = Files.list(Path.of(""))) {
            assertThat(files.map(Path::toString)).noneMatch(created -> created.contains("mem"));
        }
    }

    @Test
    void anH2DatabaseBesideItIsLeftAloneAndNeverAskedForAConnection() throws SQLException {
        Path file = Db.wal(folder.resolve("app.db"));
        AtomicInteger asked = new AtomicInteger();
        DataSource h2 = new DriverManagerDataSource("jdbc:h2:mem:beside") {
            @Override
            public Connection getConnection() throws SQLException {
                asked.incrementAndGet();
                return super.getConnection();
            }
        };
        HikariDataSource pooled = Db.pool("jdbc:h2:mem:pooled", 1);
        try (LogLines log = new LogLines()) {
            app.withBean("h2", DataSource.class, () -> h2)
                    .withBean("h2lazy", DataSource.class, () -> {
                        LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy();
                        lazy.setDefaultAutoCommit(true);
                        lazy.setTargetDataSource(h2);
                        return lazy;
                    })
                    .withBean("h2pool", DataSource.class, () -> pooled)
                    .withBean("ds", DataSource.class, () -> Db.pool(file, 1))
                    .run(context -> {
                        Apps.checked(context, "ds");
                        assertThat(context.getBean(Monitor.class).databases()).hasSize(1);
                        assertThat(asked).hasValue(0);
                        assertThat(pooled.isRunning()).isFalse();
                        assertThat(Apps.indicator(context).health().getDetails())
                                .containsEntry("database", "ds");
                        Evidence.assertNothingNamed(context, "ds");
                    });
            assertThat(log.with("The DataSource h2 is not watched", "not an SQLite"))
                    .hasSize(1);
            assertThat(log.with("The DataSource h2pool is not watched")).hasSize(1);
        }
    }

    @Test
    void oneThatThrowsKeepsNobodyFromTheOthersAndDoesNotFillTheLog() throws SQLException {
        Path file = Db.wal(folder.resolve("app.db"));
        AtomicInteger asked = new AtomicInteger();
        DataSource broken = new org.springframework.jdbc.datasource.AbstractDataSource() {
            @Override
            public Connection getConnection() {
                throw new IllegalStateException("attempt " + asked.incrementAndGet());
            }

            @Override
            public Connection getConnection(String user, String password) {
                return getConnection();
            }
        };
        Map<String, DataSource> all = new LinkedHashMap<>();
        all.put("sound", sqlite(file));
        all.put("broken", broken);
        all.put("alsoSound", sqlite(Db.wal(folder.resolve("other.db"))));
        try (LogLines log = new LogLines()) {
            DataSourceDiscovery discovery = discovery(all, List.of());
            assertThat(discovery.discover()).extracting(Database::name).containsExactly("sound", "alsoSound");
            discovery.discover();
            discovery.discover();
            assertThat(asked.get()).isGreaterThanOrEqualTo(3);
            assertThat(discovery.notWatched().get("broken")).contains("attempt");
            assertThat(log.with("The DataSource broken")).hasSize(1);
        }
    }

    @Test
    void aLazyOneThatCannotBeCreatedFailsNeitherTheApplicationNorTheOthers() throws SQLException {
        Path file = Db.wal(folder.resolve("app.db"));
        try (LogLines log = new LogLines()) {
            app.withBean("ds", DataSource.class, () -> sqlite(file))
                    .withBean(
                            "brokenLazy",
                            DataSource.class,
                            () -> {
                                throw new IllegalStateException("it is not up yet");
                            },
                            definition -> definition.setLazyInit(true))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        Apps.checked(context, "ds");
                        assertThat(Apps.indicator(context).health().getDetails())
                                .containsEntry("database", "ds");
                    });
            // Once for the health, once for the search.
            assertThat(log.with("A DataSource cannot be created", "brokenLazy")).hasSize(2);
        }
    }

    @Test
    void aPoolThatIsExhaustedAtTheStartDelaysNothing() throws Exception {
        Path file = Db.wal(folder.resolve("busy.db"));
        HikariDataSource pool = Db.pool(file, 1);
        pool.setConnectionTimeout(60_000);
        Connection taken = pool.getConnection();
        app.withBean("ds", DataSource.class, () -> pool).run(context -> {
            WatchedDatabase database = Apps.checked(context, "ds");
            assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.UNASKED);
            assertThat(answer(database.state(), Witness.FRESH)).isEqualTo(Answer.OK);
            taken.close();
        });
    }

    @Test
    void aDatabaseThatIsLockedAtTheStartIsFoundAllTheSame() throws Exception {
        Path file = Db.rollback(folder.resolve("locked.db"));
        try (Outside other = Outside.sqlite(file, "BEGIN EXCLUSIVE;")) {
            assertThat(other).isNotNull();
            app.withBean("ds", DataSource.class, () -> Db.pool(file, 1))
                    .run(context -> assertThat(
                                    Apps.watched(context, "ds").state().file())
                            .isEqualTo(file));
        }
    }

    @Test
    void theConnectionThatEverybodySharesStaysOpen() throws SQLException {
        Path file = Db.wal(folder.resolve("single.db"));
        SingleConnectionDataSource single = new SingleConnectionDataSource(Db.url(file), false);
        app.withBean("single", SingleConnectionDataSource.class, () -> single).run(context -> {
            Connection shared = single.getConnection();
            WatchedDatabase database = Apps.checked(context, "single");
            for (int i = 0; i < 3; i++) {
                check(database, Check.QUICK);
                assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.OK);
            }
            assertThat(shared.isClosed()).isFalse();
            // Nor is a transaction touched that somebody has begun on it.
            shared.setAutoCommit(false);
            shared.createStatement().execute("INSERT INTO t(body) VALUES ('mine')");
            check(database, Check.QUICK);
            assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.UNASKED);
            shared.commit();
            assertThat(shared.createStatement()
                            .executeQuery("SELECT count(*) FROM t")
                            .getInt(1))
                    .isEqualTo(101);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"with space.db", "a#b.db", "a%20b.db", "a?b.db", "é.db", "a&b=c;d.db", "'quoted'.db"})
    void aNameThatMeansSomethingInAUriIsJustAName(String name) throws SQLException {
        Path file = Db.wal(folder.resolve(name));
        try (HikariDataSource pool = Db.pool(file, 1)) {
            Db.execute(pool, "SELECT 1");
            app.withBean("ds", DataSource.class, () -> pool).run(context -> {
                WatchedDatabase database = Apps.checked(context, "ds");
                assertThat(database.state().file()).isEqualTo(file);
                assertThat(answer(database.state(), Witness.FRESH)).isEqualTo(Answer.OK);
                assertThat(answer(database.state(), Witness.LIVE)).isEqualTo(Answer.OK);
                check(database, Check.FULL);
                assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
                assertThat(folder.resolve(name + "-forensics")).isDirectory();
            });
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .allMatch(created -> created.startsWith(name), "nothing but " + name + " and what goes with it");
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void aRelativePathAndASymbolicLinkLeadToTheRealFile() throws Exception {
        Path file = Db.wal(folder.resolve("real.db"));
        Path relative = Path.of("").toAbsolutePath().relativize(file);
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        for (Path path : List.of(relative, link.resolve("real.db"))) {
            app.withBean("ds", DataSource.class, () -> Db.pool(path, 1)).run(context -> {
                WatchedDatabase database = Apps.checked(context, "ds");
                assertThat(database.state().file()).isEqualTo(file);
                assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?journal_mode=WAL", "?open_mode=6", "?journal_mode=WAL&busy_timeout=100&foreign_keys=on"})
    void pragmasInTheUrlNeitherHideTheFileNorCreateIt(String pragmas) throws Exception {
        Path missing = folder.resolve("missing.db");
        DataSourceDiscovery discovery =
                discovery(Map.of("ds", DataSourceKind.SQLITE.of(Db.url(missing) + pragmas)), List.of());
        assertThat(discovery.discover()).isEmpty();
        assertThat(folder).isEmptyDirectory();
        Path file = Db.rollback(folder.resolve("there.db"));
        discovery = discovery(Map.of("ds", DataSourceKind.SQLITE.of(Db.url(file) + pragmas)), List.of());
        assertThat(discovery.discover()).extracting(Database::file).containsExactly(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"?mode=rwc", "?mode=rw", "?cache=shared", ""})
    void aUriIsUnderstoodAsSqliteDoes(String query) throws Exception {
        Path missing = folder.resolve("missing.db");
        DataSourceDiscovery discovery =
                discovery(Map.of("ds", DataSourceKind.SQLITE.of("jdbc:sqlite:file:" + missing + query)), List.of());
        assertThat(discovery.discover()).isEmpty();
        assertThat(folder).isEmptyDirectory();
        Path file = Db.wal(folder.resolve("there.db"));
        discovery = discovery(Map.of("ds", DataSourceKind.SQLITE.of("jdbc:sqlite:file:" + file + query)), List.of());
        assertThat(discovery.discover()).extracting(Database::file).containsExactly(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {":memory:?cache=shared", "?cache=shared", "data/:memory:", "x?mode=memory"})
    void whatOnlyLooksLikeMemoryIsAFile(String name) {
        assertThat(JdbcUrl.isInMemory("jdbc:sqlite:" + name)).isFalse();
    }

    private static void check(WatchedDatabase database, Check check) {
        database.check(check)
                .orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    private static Answer answer(MonitorState state, Witness witness) {
        return state.testimonies().get(witness).says();
    }

    private static DataSource sqlite(Path file) {
        return DataSourceKind.SQLITE.of(file);
    }

    private static DataSourceDiscovery discovery(Map<String, DataSource> dataSources, List<String> excluded) {
        return new DataSourceDiscovery(beans(dataSources, excluded), file -> false, Timepiece.system());
    }

    @Test
    void aDatabaseThatIsRemovedWhileItIsFoundIsNotWanted() throws Exception {
        DataSourceDiscovery discovery = discovery(Map.of(), List.of());
        SQLiteDataSource dataSource = new SQLiteDataSource();
        dataSource.setUrl("jdbc:sqlite:" + Db.wal(folder.resolve("tenant.db")));
        discovery.add("tenant", dataSource);
        Database found = discovery.discover().get(0);
        assertThat(discovery.isWanted(found)).isTrue();
        discovery.remove("tenant");
        assertThat(discovery.isWanted(found)).isFalse();
        discovery.add("tenant", dataSource);
        assertThat(discovery.discover()).hasSize(1);
        assertThat(discovery.isWanted(found)).isFalse();
    }

    private static DataSourceBeans beans(Map<String, DataSource> dataSources, List<String> excluded) {
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        dataSources.forEach(factory::registerSingleton);
        return new DataSourceBeans(factory, excluded);
    }

    private static AbstractRoutingDataSource router(Map<Object, Object> targets) {
        AbstractRoutingDataSource router = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return null;
            }
        };
        router.setTargetDataSources(targets);
        router.afterPropertiesSet();
        return router;
    }

    private static void close(DataSource dataSource) throws Exception {
        for (Object each : Arrays.asList(dataSource, JdbcUrl.hikari(dataSource))) {
            if (each instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
    }
}
