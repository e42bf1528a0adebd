package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.BackupFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Backups of a running application. */
class BackupTest {

    private static final String ENABLED = "sqlite.health.backup.enabled=true";

    @TempDir
    Path temporary;

    private Path file;
    private BackupDirectory directory;
    private ApplicationContextRunner app;

    @BeforeEach
    void database() throws Exception {
        file = Db.wal(temporary.toRealPath().resolve("app.db"));
        directory = new BackupDirectory(BackupDirectory.beside(file), "ds");
        app = Apps.runner().withBean("ds", HikariDataSource.class, () -> Db.pool(file, 2));
    }

    @Test
    void disabledThereIsNoneAndNoThreadButOneThatIsAskedForIsTaken() {
        app.run(context -> {
            use(context);
            WatchedDatabase database = Apps.checked(context, "ds");
            assertThat(directory.path()).doesNotExist();
            assertThat(threads()).isEmpty();
            assertThat(health(context)).doesNotContainKey("backup");

            Backup backup = database.backups().now().get(20, TimeUnit.SECONDS);

            assertThat(directory.list()).containsExactly(backup);
            assertThat(threads()).isNotEmpty().allMatch(Thread::isDaemon);
            assertThat(health(context)).doesNotContainKey("backup");
        });
        await().untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    @Test
    void enabledOneIsTakenAtOnceAndNoneAfterARestartUntilItIsOldEnough() {
        app.withPropertyValues(ENABLED).run(context -> {
            use(context);
            BackupState state = awaitVerified(context);
            assertThat(state.failed()).isNull();
            assertThat(health(context).get("backup"))
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                    .containsOnlyKeys("lastVerified", "age");
        });
        List<Backup> first = directory.list();
        assertThat(first).hasSize(1);
        // A backup begins with a quick check, and here nothing else does.
        app.withPropertyValues(ENABLED, "sqlite.health.startup.check=none", "sqlite.health.quick-check.interval=1h")
                .run(context -> {
                    use(context);
                    BackupState state = awaitVerified(context);
                    assertThat(state.lastVerified().at()).isEqualTo(first.get(0).at());
                    WatchedDatabase database = Apps.watched(context, "ds");
                    database.check(Check.FULL).get(20, TimeUnit.SECONDS);
                    assertThat(database.state().ticks()).doesNotContainKey(Check.QUICK);
                    assertThat(directory.list()).isEqualTo(first);
                });
        app.withPropertyValues(ENABLED, "sqlite.health.backup.interval=1s", "sqlite.health.backup.keep=2")
                .run(context -> {
                    use(context);
                    await().atMost(Duration.ofSeconds(20))
                            .until(() -> !directory.list().contains(first.get(0)));
                    assertThat(directory.list()).hasSizeBetween(1, 2).allMatch(Backup::verified);
                });
    }

    @Test
    void whatAnEarlierRunHasLeftIsToldBeforeTheNextOneIsDue() {
        app.withPropertyValues(ENABLED).run(context -> {
            use(context);
            awaitVerified(context);
        });
        app.withPropertyValues(ENABLED, "sqlite.health.quick-check.initial-delay=1h")
                .run(context -> {
                    use(context);
                    assertThat(awaitVerified(context).lastVerified().at())
                            .isEqualTo(directory.list().get(0).at());
                });
    }

    @Test
    void aFailureIsSaidOnceInTheLogAndInHealthUntilOneSucceeds() {
        try (LogLines log = new LogLines()) {
            app.run(context -> {
                use(context);
                WatchedDatabase database = Apps.checked(context, "ds");
                Files.writeString(directory.path(), "in the way");
                for (int time = 0; time < 3; time++) {
                    assertThat(failure(database.backups().now())).isInstanceOf(BackupFailedException.class);
                }
                assertThat(log.with("WARN", file.toString(), directory.path().toString()))
                        .hasSize(1);
                assertThat(database.backups().state().failed())
                        .contains(directory.path().toString());
                assertThat(database.backups().state().failures()).isEqualTo(3);
                Files.delete(directory.path());
                database.backups().now().get(20, TimeUnit.SECONDS);
                assertThat(log.with("INFO", "succeed again", file.toString())).hasSize(1);
                assertThat(database.backups().state().failed()).isNull();
            });
        }
    }

    @Test
    void whatIsStrandedIsNotBackedUp() {
        app.run(context -> {
            use(context);
            WatchedDatabase database = Apps.checked(context, "ds");
            Backup good = database.backups().now().get(20, TimeUnit.SECONDS);
            Outside.sh("rm \"$1-wal\" \"$1-shm\"", file);
            assertThat(failure(database.backups().now())).hasMessageContaining("is STRANDED");
            assertThat(database.state().verdict()).isEqualTo(Verdict.STRANDED);
            assertThat(directory.list()).containsExactly(good);
        });
    }

    /** Nobody has looked since the file was emptied: a backup that did not look first would be a verified one of nothing. */
    @Test
    void whatWasEmptiedAMomentAgoIsNotBackedUp() {
        app.withPropertyValues("sqlite.health.quick-check.interval=1h").run(context -> {
            use(context);
            WatchedDatabase database = Apps.checked(context, "ds");
            Backup good = database.backups().now().get(20, TimeUnit.SECONDS);
            context.getBean(HikariDataSource.class).getHikariPoolMXBean().softEvictConnections();
            Outside.sqlite3(
                    file,
                    "DROP TABLE t; VACUUM; PRAGMA schema_version=1; CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);"
                            + " PRAGMA schema_version=1");
            assertThat(failure(database.backups().now())).hasMessageContaining("is EMPTIED");
            assertThat(directory.list()).containsExactly(good);
        });
    }

    @Test
    void requestsThatComeWhileOneIsTakenShareItsAnswer() {
        app.run(context -> {
            use(context);
            WatchedDatabase database = Apps.checked(context, "ds");
            CompletableFuture<Backup> first = database.backups().now();
            CompletableFuture<Backup> second = database.backups().now();
            assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(first.get(20, TimeUnit.SECONDS));
            assertThat(directory.list()).hasSize(1);
        });
    }

    @Test
    void aStopGivesUpTheCheckOfACopyAndLeavesNothingHalf() throws Exception {
        Path slow = Outside.slow(temporary.toRealPath().resolve("slow.db"), "wal", 1, 20_000);
        BackupDirectory beside = new BackupDirectory(BackupDirectory.beside(slow), "ds");
        Apps.runner()
                .withBean("ds", HikariDataSource.class, () -> Db.pool(slow, 2))
                .withPropertyValues("sqlite.health.quick-check.timeout=100ms", "sqlite.health.startup.check=none")
                .run(context -> {
                    use(context, "SELECT 1 FROM w");
                    WatchedDatabase database = Apps.watched(context, "ds");
                    CompletableFuture<Backup> answer = database.backups().now();
                    await().atMost(Duration.ofSeconds(20))
                            .until(() -> Files.exists(beside.path())
                                    && List.of(beside.path().toFile().list()).stream()
                                            .anyMatch(name -> name.endsWith(".tmp")));
                    long start = System.nanoTime();
                    context.getBean(Monitor.class).stop();
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
                    assertThat(failure(answer)).isNotNull();
                    assertThat(beside.path().toFile().list()).containsExactly("ds.lock");
                    assertThat(database.backups().state().failed()).isNull();
                });
    }

    private static BackupState awaitVerified(ApplicationContext context) {
        WatchedDatabase database = Apps.watched(context, "ds");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> database.backups().state().lastVerified() != null);
        return database.backups().state();
    }

    private static Throwable failure(CompletableFuture<Backup> answer) throws Exception {
        return answer.handle((backup, failure) -> failure).get(20, TimeUnit.SECONDS);
    }

    private static void use(ApplicationContext context) throws Exception {
        use(context, "INSERT INTO t(body) VALUES ('x')");
    }

    private static void use(ApplicationContext context, String statement) throws Exception {
        Db.execute(context.getBean(DataSource.class), statement);
    }

    private static Map<String, Object> health(ApplicationContext context) {
        return Apps.indicator(context).health().getDetails();
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sqlite-health-backup"))
                .toList();
    }
}
