package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.os.OwnDescriptors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Incident 13: code of the application opens and closes the database file beside SQLite. */
class LocksLostTest {

    /** Twice the limit of the book: the machine may be noisy. */
    private static final Duration LIMIT = Duration.ofSeconds(4);

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws Exception {
        assumeTrue(new OwnDescriptors().readable(), "this system has no /proc, so locks cannot be seen");
        folder = temporary.toRealPath();
    }

    @Test
    void aCopyInsideTheApplicationIsNamedWithItsCauseAndTheHoldersAndStays() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        Path other = Db.wal(folder.resolve("other.db"));
        ordinaryWatch(app(file))
                .withBean("otherDs", DataSource.class, () -> Db.pool(other, 2))
                .run(context -> {
                    for (DataSource each :
                            context.getBeansOfType(DataSource.class).values()) {
                        Db.execute(each, "INSERT INTO t(body) VALUES ('x')");
                    }
                    WatchedDatabase database = armed(context, "ds");
                    WatchedDatabase unharmed = armed(context, "otherDs");

                    Files.copy(file, folder.resolve("backup.db"));

                    await().atMost(LIMIT).until(() -> database.state().verdict() == Verdict.LOCKS_LOST);
                    Testimony said = locks(database);
                    assertThat(said.text()).contains("main", "copied", "zipped", "second SQLite library");
                    assertThat(Evidence.descriptors(Evidence.assertNamed(context, "ds", Verdict.LOCKS_LOST)))
                            .as("the locks that are left are those on -shm")
                            .filteredOn(held -> !held.path("locks").isEmpty())
                            .isNotEmpty()
                            .allSatisfy(held ->
                                    assertThat(held.path("file").asString("")).isEqualTo("shm"));
                    // It is no news to be forgotten: nobody has brought the locks back.
                    assertThat(check(database, Check.QUICK).verdict()).isEqualTo(Verdict.LOCKS_LOST);
                    assertThat(check(database, Check.FULL).verdict()).isEqualTo(Verdict.LOCKS_LOST);
                    assertThat(check(unharmed, Check.QUICK).verdict()).isEqualTo(Verdict.HEALTHY);
                    Evidence.assertHeard(context, "otherDs");
                    Evidence.assertNothingNamed(context, "otherDs");
                });
        app(file).run(context -> {
            Db.execute(context.getBean(DataSource.class), "SELECT count(*) FROM t");
            Apps.awaitVerdict(context, "ds", Verdict.HEALTHY);
            armed(context, "ds");
        });
    }

    @Test
    void anOpeningOfShmIsNamedToo() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(file).run(context -> {
            Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
            WatchedDatabase database = armed(context, "ds");
            Files.readAllBytes(Path.of(file + "-shm"));
            await().atMost(LIMIT).until(() -> database.state().verdict() == Verdict.LOCKS_LOST);
            assertThat(locks(database).text()).contains("shm");
        });
    }

    @Test
    void aBackupBySqliteOrByAnotherProcessIsBenign() throws Exception {
        Path file = Db.wal(folder.resolve("app.db"));
        app(file).run(context -> {
            DataSource pool = context.getBean(DataSource.class);
            Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
            WatchedDatabase database = armed(context, "ds");
            Db.execute(pool, "VACUUM INTO '" + folder.resolve("one.db") + "'");
            Outside.run("cp", file.toString(), folder.resolve("two.db").toString());
            Outside.sqlite3(file, ".backup '" + folder.resolve("three.db") + "'");
            Outside.sqlite3(file, "PRAGMA integrity_check");
            for (int i = 0; i < 5; i++) {
                assertThat(check(database, Check.QUICK).verdict()).isEqualTo(Verdict.HEALTHY);
                assertThat(locks(database).says()).isEqualTo(Answer.OK);
            }
            Evidence.assertHeard(context, "ds");
            Evidence.assertNothingNamed(context, "ds");
        });
    }

    /** What has never been seen cannot be missed. */
    @Test
    void withoutAnAnchorAndInRollbackModeNobodyIsAskedAndNothingIsNamed() throws Exception {
        unasked(
                app(Db.wal(folder.resolve("app.db"))).withPropertyValues("sqlite.health.anchor.enabled=false"),
                "no connection of the monitor is open");
        unasked(app(Db.rollback(folder.resolve("rollback.db"))), "there is no WAL");
    }

    private void unasked(ApplicationContextRunner runner, String why) {
        runner.run(context -> {
            Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
            WatchedDatabase database = Apps.checked(context, "ds");
            Path file = database.state().file();
            Files.copy(file, file.resolveSibling(file.getFileName() + ".copy"));
            for (int i = 0; i < 3; i++) {
                assertThat(check(database, Check.QUICK).verdict()).isEqualTo(Verdict.HEALTHY);
            }
            assertThat(locks(database).says()).isEqualTo(Answer.UNASKED);
            assertThat(locks(database).text()).contains(why);
        });
    }

    private static ApplicationContextRunner app(Path file) {
        return Apps.observed().withBean("ds", HikariDataSource.class, () -> Db.pool(file, 2));
    }

    /** The time limit is that of the watch as it is by default. */
    private static ApplicationContextRunner ordinaryWatch(ApplicationContextRunner runner) {
        return runner.withPropertyValues(
                "sqlite.health.identity-watch.interval=1s", "sqlite.health.quick-check.interval=1h");
    }

    private static WatchedDatabase armed(ApplicationContext context, String name) {
        WatchedDatabase database = Apps.checked(context, name);
        await().until(() -> locks(database).says() == Answer.OK);
        return database;
    }

    private static Testimony locks(WatchedDatabase database) {
        return database.state().testimonies().get(Witness.LOCKS);
    }

    private static MonitorState check(WatchedDatabase database, Check check) throws Exception {
        return database.check(check).get(20, TimeUnit.SECONDS);
    }
}
