package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** What keeps an application from starting, and that it is asked before anybody uses the database. */
@Isolated("it reads the console, which is everybody's")
@ExtendWith(OutputCaptureExtension.class)
class StartGateTest {

    private static final AtomicInteger USES = new AtomicInteger();

    @TempDir
    Path folder;

    @Test
    void aSoundDatabaseAndOneThatIsNotThereYetStart() throws Exception {
        Path file = folder.resolve("app.db");
        int before = USES.get();
        start(file, "startup.fail-fast=true").close();
        assertThat(file).exists();
        start(file, "startup.fail-fast=true", "startup.check=full").close();
        assertThat(USES.get() - before).isEqualTo(2);
    }

    @Test
    void nobodyUsesADamagedDatabaseAndNothingOfItIsTouched(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
        String before = Outside.sh("sha256sum \"$1\"; stat -c %i:%Y \"$1\"", file);
        int uses = USES.get();

        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();

        assertThat(USES).hasValue(uses);
        assertThat(Outside.sh("sha256sum \"$1\"; stat -c %i:%Y \"$1\"", file)).isEqualTo(before);
        assertThat(console.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains("The database of the DataSource \"dataSource\" is DAMAGED")
                .contains("File     " + file.toRealPath())
                .contains("found at this start")
                .contains("Nothing has been changed")
                .contains("sqlite.health.recovery.start-fresh=true")
                .doesNotContain("Evidence");
    }

    /** An orchestrator that starts it again and again sees one clock. */
    @Test
    void aRefusalLeavesAMarkerAndTheNextOneCountsFromIt(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
        Path marker = folder.resolve("app.db.corrupt");
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        String first = Files.readString(marker);
        String time = first.replaceAll("(?s).*\"time\" : \"([^\"]*)\".*", "$1");
        assertThat(first).contains("\"verdict\" : \"DAMAGED\"").doesNotContain("snapshot");
        assertThat(console.getOut()).contains("found at this start");

        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains(time + " (an earlier run)");
        assertThat(Files.readString(marker)).isEqualTo(first);
    }

    @Test
    void aMarkerThatNobodyUnderstandsTellsNoTime(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
        Files.writeString(folder.resolve("app.db.corrupt"), "nobody knows why");
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("an unknown time (an earlier run)");
    }

    @Test
    void whereADirectoryHasTheNameOfTheMarkerThereIsNoneAndThatIsSaid(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Path directory = Files.createDirectory(folder.resolve("app.db.corrupt"));
        try (ConfigurableApplicationContext context = start(file)) {
            Apps.checked(context, "dataSource");
            assertThat(directory).exists();
            Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
            Apps.awaitVerdict(context, "dataSource", Verdict.DAMAGED);
            await().until(() -> console.getOut().contains("No marker can be written beside the damaged"));
        }
        assertThat(console.getOut().split("No marker can be written", -1)).hasSize(2);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void withoutFailFastTheFirstTickFindsIt() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
        try (ConfigurableApplicationContext context = start(file)) {
            Apps.awaitVerdict(context, "dataSource", Verdict.DAMAGED);
        }
    }

    @Test
    void aDatabaseThatHasLostItsRowsBetweenTwoRunsIsRefused(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        runOnce(file);
        Outside.sh(": > \"$1\"", file);
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("is EMPTIED").contains("the database is empty; it had");
        assertThat(file).hasSize(0);
    }

    @Test
    void rowsThatCameAfterTheLastCheckAreMissedToo(CapturedOutput console) throws Exception {
        Path file = folder.resolve("app.db");
        try (ConfigurableApplicationContext context = start(file, "quick-check.interval=1h")) {
            Apps.checked(context, "dataSource");
            new JdbcTemplate(context.getBean(DataSource.class))
                    .execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
                            + " INSERT INTO t(a) SELECT i FROM n");
        }
        Files.delete(file);
        Outside.sqlite3(file, "CREATE TABLE t(id INTEGER PRIMARY KEY, a INT)");
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("is EMPTIED");
    }

    @Test
    void aDatabaseThatIsGoneBetweenTwoRunsIsNotCreatedAnew(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        runOnce(file);
        Files.delete(file);
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("is MISSING").contains("there is no file; it had");
        assertThat(file).doesNotExist();
    }

    @Test
    void aMarkerAsksForAFullCheckAndOnlyThatTakesItAway(CapturedOutput console) throws Exception {
        Path file = folder.resolve("app.db");
        Outside.sqlite3(
                file,
                "PRAGMA journal_mode=wal; CREATE TABLE t(id INTEGER PRIMARY KEY, a INT); CREATE INDEX i ON t(a);"
                        + " INSERT INTO t(a) VALUES (1),(2),(3)");
        // An index with the right number of wrong values: a quick check says ok.
        String swap =
                "PRAGMA writable_schema=on; UPDATE sqlite_schema SET sql='CREATE INDEX i ON t(%s)' WHERE name='i'";
        Outside.sqlite3(file, swap.formatted("-a"));
        Path marker = folder.resolve("app.db.corrupt");
        start(file, "startup.fail-fast=true").close();

        Files.writeString(
                marker, "{\"time\":\"2026-01-02T03:04:05Z\",\"verdict\":\"DAMAGED\",\"text\":\"x\",\"snapshot\":null}");
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("is DAMAGED").contains("2026-01-02T03:04:05Z (an earlier run)");
        assertThat(marker).exists();

        Outside.sqlite3(file, swap.formatted("a"));
        start(file, "startup.fail-fast=true").close();
        assertThat(marker).doesNotExist();
    }

    @Test
    void aConfirmedDamageLeavesAMarkerUntilAFullCheckPasses() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 1000);
        Path marker = folder.resolve("app.db.corrupt");
        byte[] page = Outside.page(file, 20);
        try (ConfigurableApplicationContext context = start(file)) {
            Apps.checked(context, "dataSource");
            assertThat(marker).doesNotExist();
            Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
            Apps.awaitVerdict(context, "dataSource", Verdict.DAMAGED);
            await().until(() -> Files.exists(marker));
            assertThat(Files.readString(marker))
                    .contains("\"verdict\" : \"DAMAGED\"")
                    .containsPattern("\"snapshot\" : \"\\d{8}T");
            Outside.heal(file, 20, page);
            Apps.awaitVerdict(context, "dataSource", Verdict.HEALTHY);
            await().until(() -> !Files.exists(marker));
        }
    }

    @Test
    void withoutTheGateTheFirstFullCheckLooksIntoAMarker() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 100);
        Path marker = Files.writeString(folder.resolve("app.db.corrupt"), "nobody knows why");
        try (ConfigurableApplicationContext context = start(file)) {
            await().until(() -> !Files.exists(marker));
            assertThat(Apps.checked(context, "dataSource").state().verdict()).isEqualTo(Verdict.HEALTHY);
        }
    }

    @Test
    void aDatabaseOfANewerApplicationIsAFailureOfItsOwn(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "PRAGMA user_version=7");
        start(file, "startup.max-user-version=7").close();
        assertThatThrownBy(() -> start(file, "startup.max-user-version=6")).isNotNull();
        assertThat(console.getOut())
                .contains("has version 7 (PRAGMA user_version), and this application supports 6 at most")
                .contains("Nothing has been changed");
        assertThatThrownBy(() -> start(
                        file, "startup.max-user-version=6", "startup.schema-version-query=SELECT count(*) - 1 FROM t"))
                .isNotNull();
        assertThat(console.getOut()).contains("has version 9 (SELECT count(*) - 1 FROM t)");
    }

    @Test
    void whereTheQueryFailsTheUserVersionStillGuards(CapturedOutput console) throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        Outside.sqlite3(file, "PRAGMA user_version=7");
        String query = "startup.schema-version-query=SELECT version FROM versions";
        start(file, "startup.max-user-version=7", query).close();
        assertThat(console.getOut()).contains("(SELECT version FROM versions): ");
        assertThatThrownBy(() -> start(file, "startup.max-user-version=6", query))
                .isNotNull();
        assertThat(console.getOut()).contains("has version 7 (PRAGMA user_version)");
    }

    @Test
    void whatIsNoDatabaseIsPerhapsEncrypted(CapturedOutput console) throws Exception {
        Path file = Files.writeString(folder.resolve("app.db"), "no database ".repeat(500));
        assertThatThrownBy(() -> start(file, "startup.fail-fast=true")).isNotNull();
        assertThat(console.getOut()).contains("is DAMAGED").contains("perhaps it is encrypted, or no SQLite file");
    }

    @Test
    void failFastWithoutACheckIsNoWish(CapturedOutput console) {
        assertThatThrownBy(() -> start(folder.resolve("app.db"), "startup.fail-fast=true", "startup.check=none"))
                .isNotNull();
        assertThat(console.getOut()).contains("sqlite.health.startup.check").contains("must be quick or full");
    }

    private void runOnce(Path file) throws Exception {
        try (ConfigurableApplicationContext context = start(file)) {
            Apps.checked(context, "dataSource");
        }
    }

    private static ConfigurableApplicationContext start(Path file, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.banner-mode=off",
                "--file=" + file,
                "--sqlite.health.quick-check.initial-delay=0s",
                "--sqlite.health.quick-check.interval=100ms",
                "--sqlite.health.max-check-load=1"));
        for (String property : properties) {
            arguments.removeIf(argument -> argument.startsWith("--sqlite.health." + property.replaceAll("=.*", "=")));
            arguments.add("--sqlite.health." + property);
        }
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {

        @Bean
        DataSource dataSource(@Value("${file}") Path file) {
            return Db.pool("jdbc:sqlite:file:" + file.toUri().getRawPath(), 2);
        }

        /** As a migration does it. */
        @Bean
        Object firstUse(DataSource dataSource) {
            USES.incrementAndGet();
            new JdbcTemplate(dataSource).execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a INT)");
            return "used";
        }
    }
}
