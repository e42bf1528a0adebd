package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Http;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** When the monitor runs, and what it leaves behind. */
class LifecycleTest {

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    @Test
    void theMonitorStopsAfterTheLastRequestAndBeforeThePoolCloses() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        ConfigurableApplicationContext app = Apps.web(Slow.class, "file=" + file);
        Slow slow = app.getBean(Slow.class);
        Apps.checked(app, "ds");
        CompletableFuture<Integer> answer = CompletableFuture.supplyAsync(() -> {
            try {
                return Http.get(app, "/slow").status();
            } catch (IOException | InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        });
        assertThat(slow.arrived.await(20, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(app::close);
        // The server takes no new requests: the shutdown has begun.
        await().until(() -> {
            try {
                return Http.get(app, "/other").status() == 503;
            } catch (IOException refused) {
                return true;
            }
        });
        slow.mayEnd.countDown();
        closing.get(30, TimeUnit.SECONDS);
        assertThat(answer.get(5, TimeUnit.SECONDS)).isEqualTo(200);
        assertThat(slow.story)
                .containsExactly("last request, monitor running: true", "pool closes, monitor running: false");
        assertOneWholeFile(file, 101);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Slow {

        final CountDownLatch arrived = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final List<String> story = new CopyOnWriteArrayList<>();
        private volatile Monitor monitor;
        private volatile DataSource pool;

        @Bean
        DataSource ds(@Value("${file}") Path file) {
            HikariDataSource created = new HikariDataSource() {
                @Override
                public void close() {
                    story.add("pool closes, monitor running: " + monitor.isRunning());
                    super.close();
                }
            };
            created.setJdbcUrl(Db.url(file));
            created.setMaximumPoolSize(1);
            pool = created;
            return created;
        }

        @Bean
        Object monitorSeen(Monitor seen) {
            monitor = seen;
            return new Object();
        }

        @GetMapping("/slow")
        String slow() throws Exception {
            arrived.countDown();
            assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
            Db.execute(pool, "INSERT INTO t(body) VALUES ('last')");
            story.add("last request, monitor running: " + monitor.isRunning());
            return "done";
        }
    }

    @Test
    void theLastCloseLeavesNoSidecarsAndAWholeFile() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        for (boolean anchor : new boolean[] {true, false}) {
            Apps.runner()
                    .withBean("ds", DataSource.class, () -> Db.pool(file, 2))
                    .withPropertyValues("sqlite.health.anchor.enabled=" + anchor)
                    .run(context -> {
                        Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                        WatchedDatabase database = Apps.checked(context, "ds");
                        database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                    });
            assertOneWholeFile(file, anchor ? 101 : 102);
        }
    }

    @Test
    void aSwapThatNobodyHasSeenYetIsNotMergedAtTheStop() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.runner()
                .withBean("ds", DataSource.class, () -> Db.pool(file, 2))
                .withPropertyValues(
                        "sqlite.health.identity-watch.interval=1h",
                        "sqlite.health.identity-watch.events=false",
                        "sqlite.health.quick-check.interval=1h")
                .run(context -> {
                    DataSource pool = context.getBean(DataSource.class);
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                    WatchedDatabase database = Apps.checked(context, "ds");
                    assertThat(database.state().verdict()).isEqualTo(Verdict.HEALTHY);
                    Outside.sh("rm \"$1\"-wal \"$1\"-shm", file);
                    Db.execute(pool, "INSERT INTO t(body) VALUES ('ours')");
                    Outside.sqlite3(file, "INSERT INTO t(body) VALUES ('theirs')");
                });
        assertThat(Outside.sqlite3(file, "SELECT group_concat(body) FROM t WHERE length(body) < 9"))
                .isEqualTo("theirs");
        try (var copies = java.nio.file.Files.list(Path.of(file + "-forensics"))) {
            Path copy = copies.filter(each -> each.toString().matches(".*/rescue-[^/]*\\.db"))
                    .findFirst()
                    .orElseThrow();
            assertThat(Outside.sqlite3(copy, "SELECT group_concat(body) FROM t WHERE length(body) < 9"))
                    .isEqualTo("x,ours");
        }
    }

    @Test
    void aContextThatIsStoppedAndStartedAgainIsWatchedAgain() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.runner().withBean("ds", DataSource.class, () -> Db.pool(file, 2)).run(context -> {
            Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
            WatchedDatabase database = Apps.checked(context, "ds");
            Monitor monitor = context.getBean(Monitor.class);
            ConfigurableApplicationContext app =
                    context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            app.stop();
            assertThat(monitor.isRunning()).isFalse();
            assertThat(threads()).isEmpty();
            assertThat(database.check(Check.QUICK)).isCompletedExceptionally();
            app.start();
            assertThat(monitor.isRunning()).isTrue();
            assertThat(database.check(Check.FULL).get(20, TimeUnit.SECONDS).ticks())
                    .containsKey(Check.FULL);
            java.nio.file.Files.delete(Path.of(file + "-wal"));
            Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
            assertThat(monitor.databases()).hasSize(1);
        });
    }

    @Test
    void aClosedContextLeavesNoThread() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Apps.runner().withBean("ds", DataSource.class, () -> Db.pool(file, 2)).run(context -> {
            Apps.checked(context, "ds");
            assertThat(threads()).allMatch(Thread::isDaemon).isNotEmpty();
        });
        await().atMost(Duration.ofSeconds(10)).until(() -> threads().isEmpty());
    }

    @Test
    void whereBeansAreCreatedLazilyTheMonitorStillRuns() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        try (ConfigurableApplicationContext app = new SpringApplicationBuilder(Apps.Ordinary.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.main.lazy-initialization=true",
                        "--spring.datasource.url=" + Db.url(file),
                        "--sqlite.health.quick-check.initial-delay=0s")) {
            assertThat(app.getBeanFactory().containsSingleton("sqliteHealthMonitorLifecycle"))
                    .isTrue();
            // Nobody has asked for the monitor before this.
            assertThat(app.getBeanFactory().containsSingleton("sqliteHealthMonitor"))
                    .isTrue();
            Apps.checked(app, "dataSource");
            assertThat(Apps.indicator(app).health().getStatus().getCode()).isEqualTo("UP");
            assertThat(app.getBean(io.micrometer.core.instrument.MeterRegistry.class)
                            .find("sqlite.health.verdict")
                            .gauges())
                    .isNotEmpty();
        }
    }

    @Test
    void theFirstCheckIsTheOneThatWasAskedFor() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        var app = Apps.runner()
                .withBean("ds", DataSource.class, () -> Db.pool(file, 1))
                .withPropertyValues("sqlite.health.quick-check.interval=1h");
        app.withPropertyValues("sqlite.health.startup.check=full").run(context -> {
            WatchedDatabase database = Apps.watched(context, "ds");
            await().until(() -> database.state().ticks().containsKey(Check.FULL));
            assertThat(database.state().ticks()).doesNotContainKey(Check.QUICK);
        });
        app.withPropertyValues("sqlite.health.startup.check=none").run(context -> {
            WatchedDatabase database = Apps.watched(context, "ds");
            var first = database.state().ticks().get(Check.IDENTITY);
            await().until(() ->
                    database.state().ticks().get(Check.IDENTITY).since(first).toMillis() > 300);
            assertThat(database.state().ticks()).containsOnlyKeys(Check.IDENTITY);
        });
    }

    /** The threads of monitors; tests that run beside this one would need other names. */
    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("sqlite-health-(watch|checks)"))
                .filter(Thread::isAlive)
                .toList();
    }

    private static void assertOneWholeFile(Path file, int rows) throws SQLException {
        assertThat(Path.of(file + "-wal")).doesNotExist();
        assertThat(Path.of(file + "-shm")).doesNotExist();
        try (Connection connection = DriverManager.getConnection(Db.url(file));
                ResultSet count = connection.createStatement().executeQuery("SELECT count(*) FROM t")) {
            assertThat(count.getInt(1)).isEqualTo(rows);
            assertThat(connection
                            .createStatement()
                            .executeQuery("PRAGMA integrity_check")
                            .getString(1))
                    .isEqualTo("ok");
        }
    }
}
