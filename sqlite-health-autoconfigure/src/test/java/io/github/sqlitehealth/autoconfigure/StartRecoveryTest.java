package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.recovery.DatabaseRebuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a person asks for at the next start is done before the application uses the database, once, or not at all. */
@Isolated("it reads the console, which is everybody's")
@ExtendWith(OutputCaptureExtension.class)
class StartRecoveryTest {

    @TempDir
    Path folder;

    private Path file;
    private Path copy;

    @BeforeEach
    void aDatabaseAndACopy() throws Exception {
        file = Outside.database(folder.resolve("app.db"), 1000);
        copy = folder.resolve("copy.db");
        Outside.sqlite3(file, ".backup '" + copy + "'");
    }

    @Test
    void aDamagedDatabaseIsRestoredBeforeItsFirstUse(CapturedOutput console) throws Exception {
        String damaged = damage();
        try (ConfigurableApplicationContext context =
                start(App.class, "recovery.restore-from=" + copy, "startup.fail-fast=true")) {
            assertThat(rows(context)).isEqualTo(1000);
            Apps.awaitVerdict(context, "dataSource", Verdict.HEALTHY);
        }
        assertThat(archived()).isEqualTo(damaged);
        assertThat(console.getOut()).contains("has been restored from " + copy).contains("with 1000 rows in 1 table");
        assertThat(console.getOut().lines().filter(line -> line.contains("has been restored from")))
                .as("it names the file once")
                .singleElement()
                .satisfies(line -> assertThat(
                                line.split(Pattern.quote(file.toRealPath().toString()) + "(?!\\.)", -1))
                        .hasSize(2));

        // Left in the configuration, it neither touches a sound database nor hides the next damage.
        start(App.class, "recovery.restore-from=" + copy).close();
        String again = damage();
        assertThatThrownBy(() -> start(App.class, "recovery.restore-from=" + copy, "startup.fail-fast=true"))
                .isNotNull();
        assertThat(sha256(file)).isEqualTo(again);
        assertThat(console.getOut())
                .contains("is DAMAGED")
                .contains("has been done before: ")
                .contains("""
                is not done twice: run the command restore while the application is stopped, or set \
                sqlite.health.recovery.force=true, which is honoured once, too, or name another file in \
                sqlite.health.recovery.restore-from""");
    }

    @Test
    void whatIsAdvisedAfterDamageIsWhatWillBeDone(CapturedOutput console) throws Exception {
        String fresh = "recovery.start-fresh=true";
        String force = "recovery.force=true";
        damage();
        start(App.class, fresh).close();
        Outside.damage(file, "t");
        assertThat(refused(console))
                .contains("sqlite.health.recovery.start-fresh=true with sqlite.health.recovery.force=true to begin");
        start(App.class, fresh, force).close();
        Outside.damage(file, "t");
        assertThat(refused(console)).contains("restore-from=<file>").doesNotContain("start-fresh=true");
        int before = console.getOut().length();
        assertThatThrownBy(() -> start(App.class, fresh, force, "startup.fail-fast=true"))
                .isNotNull();
        assertThat(console.getOut().substring(before))
                .contains("run the command start-fresh while the application is stopped.")
                .doesNotContain("or set sqlite.health.recovery.force");
        start(App.class, "recovery.restore-from=" + copy).close();
    }

    @Test
    void aLatestThatHasBeenRestoredIsAdvisedWithWhatItTakesToDoSoAgain(CapturedOutput console) throws Exception {
        try (ConfigurableApplicationContext context = start(App.class)) {
            Apps.checked(context, "dataSource").backups().now().get(30, TimeUnit.SECONDS);
        }
        damage();
        assertThat(refused(console)).contains("set sqlite.health.recovery.restore-from=latest to restore dataSource-");
        start(App.class, "recovery.restore-from=latest").close();
        damage();
        assertThat(refused(console)).contains("restore-from=latest with sqlite.health.recovery.force=true to restore ");
        try (ConfigurableApplicationContext context =
                start(App.class, "recovery.restore-from=latest", "recovery.force=true")) {
            assertThat(rows(context)).isEqualTo(1000);
        }
    }

    @Test
    void damageThatIsNotRepairedTwiceIsSaidAndLookedIntoAtOnce(CapturedOutput console) throws Exception {
        damage();
        String wish = "recovery.restore-from=" + copy;
        start(App.class, wish).close();
        damage();
        try (ConfigurableApplicationContext context =
                start(App.class, wish, "quick-check.initial-delay=1h", "quick-check.interval=1h")) {
            Apps.awaitVerdict(context, "dataSource", Verdict.DAMAGED);
        }
        assertThat(console.getOut().lines().filter(line -> line.contains("is not done twice")))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("ERROR"));
    }

    private String refused(CapturedOutput console) {
        int before = console.getOut().length();
        assertThatThrownBy(() -> start(App.class, "startup.fail-fast=true")).isNotNull();
        return console.getOut().substring(before);
    }

    @Test
    void whatWasWrongWithTheFilesIsOverWithTheRestore(CapturedOutput console) throws Exception {
        try (ConfigurableApplicationContext context = start(App.class)) {
            Apps.checked(context, "dataSource");
            damage();
            Apps.awaitVerdict(context, "dataSource", Verdict.DAMAGED);
        }
        int before = console.getOut().length();
        try (ConfigurableApplicationContext context = start(App.class, "recovery.restore-from=" + copy)) {
            MonitorState state = Apps.checked(context, "dataSource").state();
            assertThat(state.verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(state.incident()).isNull();
            assertThat(state.incidents()).singleElement().satisfies(incident -> {
                assertThat(incident.verdicts()).contains("DAMAGED");
                assertThat(incident.until()).isNotNull();
            });
            assertThat(state.counts().alarms()).isZero();
        }
        assertThat(console.getOut().substring(before))
                .contains("has been restored from " + copy)
                .doesNotContain("sqlite-health: DAMAGED");
    }

    @Test
    void theLatestBackupIsFoundWhereBackupsAreKept() throws Exception {
        String directory = "backup.directory=" + folder.resolve("elsewhere");
        try (ConfigurableApplicationContext context = start(App.class, directory)) {
            Apps.checked(context, "dataSource").backups().now().get(30, TimeUnit.SECONDS);
        }
        String damaged = damage();
        try (ConfigurableApplicationContext context =
                start(App.class, directory, "recovery.restore-from=latest", "startup.fail-fast=true")) {
            assertThat(rows(context)).isEqualTo(1000);
        }
        assertThat(archived()).isEqualTo(damaged);
    }

    @Test
    void onlyTheNewestArchivesAreKeptFromRestartToRestart() throws Exception {
        String damaged = "";
        for (int restart = 0; restart < 4; restart++) {
            damaged = damage();
            Path another = Files.copy(copy, folder.resolve("copy-" + restart + ".db"));
            start(App.class, "recovery.restore-from=" + another, "recovery.keep-archives=2")
                    .close();
        }
        assertThat(Outside.sh("cd \"$1\"; ls app.db.corrupt-*Z", folder)).hasLineCount(2);
        assertThat(Outside.sh("cd \"$1\"; sha256sum app.db.corrupt-*Z | tail -1", folder))
                .startsWith(damaged);
    }

    @Test
    void aNewDatabaseIsNoEmptiedOne() throws Exception {
        start(App.class).close();
        String damaged = damage();
        try (ConfigurableApplicationContext context = start(App.class, "recovery.start-fresh=true")) {
            assertThat(rows(context)).isZero();
            Apps.awaitVerdict(context, "dataSource", Verdict.HEALTHY);
        }
        assertThat(archived()).isEqualTo(damaged);
    }

    @Test
    void whatCannotBeRestoredFailsTheStartAndChangesNothing(CapturedOutput console) throws Exception {
        String damaged = damage();
        Path text = Files.writeString(folder.resolve("text.db"), "no database ".repeat(500));
        assertThatThrownBy(() -> start(App.class, "recovery.restore-from=" + text))
                .isNotNull();
        assertThatThrownBy(() -> start(App.class, "recovery.restore-from=latest"))
                .isNotNull();
        assertThat(console.getOut())
                .contains("The database " + file.toRealPath() + " of the DataSource \"dataSource\" is left as it is: ")
                .contains(text.toString())
                .contains("There is no verified backup of the database " + file.toRealPath());
        assertThat(sha256(file)).isEqualTo(damaged);
        assertThat(folder.toFile().list()).noneMatch(name -> name.contains(".corrupt"));
    }

    @Test
    void amongSeveralDatabasesOneHasToBeNamed(CapturedOutput console) throws Exception {
        String damaged = damage();
        String from = "recovery.restore-from=" + copy;
        assertThatThrownBy(() -> start(Two.class, from)).isNotNull();
        assertThatThrownBy(() -> start(Two.class, from, "recovery.database=third"))
                .isNotNull();
        assertThat(sha256(file)).isEqualTo(damaged);
        assertThat(console.getOut())
                .contains("sqlite.health.recovery.database")
                .contains("must say which one is meant: first, second")
                .contains("third")
                .contains("is none of the databases of this application: first, second");
        start(Two.class, from, "recovery.database=second").close();
        assertThat(archived()).isEqualTo(damaged);
    }

    @Test
    void oneWishAtATime(CapturedOutput console) {
        assertThatThrownBy(() -> start(App.class, "recovery.restore-from=latest", "recovery.start-fresh=true"))
                .isNotNull();
        assertThat(console.getOut()).contains("must not be set together with recovery.restore-from");
    }

    @Test
    void aDerivedDatabaseIsRebuiltWhereItIsNotSoundAndOnlyThere() throws Exception {
        int before = Derived.BUILT.get();
        start(Derived.class).close();
        assertThat(Derived.BUILT.get()).as("a sound one is left alone").isEqualTo(before);

        String damaged = damage();
        try (ConfigurableApplicationContext context = start(Derived.class)) {
            assertThat(rows(context)).isEqualTo(3);
        }
        assertThat(archived()).isEqualTo(damaged);

        Files.delete(file);
        try (ConfigurableApplicationContext context = start(Derived.class)) {
            assertThat(rows(context)).isEqualTo(3);
        }
        assertThat(Derived.BUILT.get() - before).isEqualTo(2);
    }

    @Test
    void aRebuilderOfADatabaseThatThereIsNotFailsTheStart(CapturedOutput console) {
        assertThatThrownBy(() -> start(Derived.class, "test=name:dataSuorce")).isNotNull();
        assertThat(console.getOut())
                .contains("is for a database \"dataSuorce\", which is none of this application: dataSource.");
    }

    @Test
    void aRebuilderOfALazyOneIsNoMistakeAndARouteOfItMayBeNone(CapturedOutput console) {
        start(Lazily.class, "test=name:later").close();
        assertThat(console.getOut()).doesNotContain("DatabaseRebuilder");
        // Whoever counts pools or asks for health creates the lazy ones, too, so an application will not show this.
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("rebuilder", new Derived().rebuilder("name:later.one"));
        Rebuilders rebuilders = new Rebuilders(beans.getBeanProvider(DatabaseRebuilder.class), List.of());
        Set<String> names = new TreeSet<>(Set.of("dataSource", "later"));
        assertThatThrownBy(() -> rebuilders.refuseUnlessMet(names, Set.of("dataSource")))
                .isInstanceOf(DatabaseRefusedException.class);
        rebuilders.refuseUnlessMet(names, Set.of("later"));
        assertThat(console.getOut())
                .contains("\"later.one\", which is none of this application: dataSource, later; it is");
    }

    @Test
    void oneThatIsExcludedIsNotRebuiltAndThatIsSaid(CapturedOutput console) {
        start(Derived.class, "exclude=dataSource").close();
        assertThat(console.getOut()).contains("is never asked: sqlite.health.exclude names its database dataSource");
    }

    @Test
    void twoRebuildersOfOneDatabaseFailTheStartAndChangeNothing(CapturedOutput console) throws Exception {
        String damaged = damage();
        assertThatThrownBy(() -> start(Twice.class)).isNotNull();
        assertThat(console.getOut()).contains("The DataSource \"dataSource\" has 2 DatabaseRebuilder beans: ");
        assertThat(sha256(file)).isEqualTo(damaged);
    }

    @Test
    void aRebuildThatDidNotComeToItsEndBeginsAnew(CapturedOutput console) throws Exception {
        Files.delete(file);
        int before = Derived.BUILT.get();
        assertThatThrownBy(() -> start(Derived.class, "test=fail")).isNotNull();
        assertThat(console.getOut()).contains("could not be rebuilt").contains("the source is away");
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("1");

        try (ConfigurableApplicationContext context = start(Derived.class)) {
            assertThat(rows(context)).isEqualTo(3);
            Apps.awaitVerdict(context, "dataSource", Verdict.HEALTHY);
        }
        start(Derived.class).close();
        assertThat(Derived.BUILT.get() - before).isEqualTo(2);
    }

    @Test
    void whatFailedRebuildsHaveBegunNeverAgesOutWhatWasThereBefore() throws Exception {
        String damaged = damage();
        for (int attempt = 0; attempt < 4; attempt++) {
            assertThatThrownBy(() -> start(Derived.class, "test=fail", "recovery.keep-archives=1"))
                    .isNotNull();
            assertThat(archived()).isEqualTo(damaged);
        }
        assertThat(Outside.sh("cd \"$1\"; ls app.db.corrupt-*Z", folder)).hasLineCount(2);
        try (ConfigurableApplicationContext context = start(Derived.class, "recovery.keep-archives=1")) {
            assertThat(rows(context)).isEqualTo(3);
        }
        assertThat(archived()).isEqualTo(damaged);
        assertThat(Outside.sh("cd \"$1\"; ls app.db.corrupt-*Z", folder)).hasLineCount(2);
    }

    @Test
    void aRebuilderThatBuildsNothingFailsTheStart(CapturedOutput console) throws Exception {
        Files.delete(file);
        assertThatThrownBy(() -> start(Derived.class, "test=nothing")).isNotNull();
        assertThat(console.getOut()).contains("could not be rebuilt").contains("has created no tables");
        start(Derived.class).close();
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("3");
    }

    @Test
    void thePoolIsClosedWhateverARebuilderThrows() throws Exception {
        damage();
        assertThatThrownBy(() -> start(Derived.class, "test=error")).isNotNull();
        assertThat(Derived.pool.isClosed()).isTrue();
    }

    @Test
    void aRebuildInWhichTheProcessWasKilledBeginsAnew() throws Exception {
        String damaged = damage();
        Process child = new ProcessBuilder(Outside.java(Killed.class, file))
                .redirectErrorStream(true)
                .start();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isEqualTo(128 + 9);
        assertThat(archived()).isEqualTo(damaged);
        try (ConfigurableApplicationContext context = start(Derived.class)) {
            assertThat(rows(context)).isEqualTo(3);
            Apps.awaitVerdict(context, "dataSource", Verdict.HEALTHY);
        }
    }

    private String damage() throws Exception {
        Outside.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)");
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", file);
        return sha256(file);
    }

    private String archived() throws Exception {
        return Outside.sh("cd \"$1\"; sha256sum app.db.corrupt-*Z", folder).substring(0, 64);
    }

    private static String sha256(Path file) throws Exception {
        return Outside.sh("sha256sum \"$1\"", file).substring(0, 64);
    }

    private static int rows(ConfigurableApplicationContext context) {
        Integer rows = new JdbcTemplate(context.getBean(DataSource.class))
                .queryForObject("SELECT count(*) FROM t", Integer.class);
        return rows == null ? -1 : rows;
    }

    private ConfigurableApplicationContext start(Class<?> app, String... properties) {
        return start(file, app, properties);
    }

    static ConfigurableApplicationContext start(Path file, Class<?> app, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.banner-mode=off",
                "--file=" + file,
                "--sqlite.health.quick-check.initial-delay=0s",
                "--sqlite.health.quick-check.interval=100ms",
                "--sqlite.health.stale-after=10m",
                "--sqlite.health.max-check-load=1"));
        for (String property : properties) {
            arguments.removeIf(argument -> argument.startsWith("--sqlite.health." + property.replaceAll("=.*", "=")));
            arguments.add(property.startsWith("test=") ? "--" + property : "--sqlite.health." + property);
        }
        return new SpringApplicationBuilder(app).web(WebApplicationType.NONE).run(arguments.toArray(String[]::new));
    }

    /** An application that is killed in the middle of a rebuild. */
    static final class Killed {

        public static void main(String[] arguments) {
            start(Path.of(arguments[0]), Derived.class, "test=kill");
        }
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
            new JdbcTemplate(dataSource).execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, body TEXT)");
            return "used";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Two {

        @Bean
        DataSource first(@Value("${file}") Path file) {
            return Db.pool("jdbc:sqlite:" + file + "-other", 2);
        }

        @Bean
        DataSource second(@Value("${file}") Path file) {
            return Db.pool("jdbc:sqlite:" + file, 2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lazily extends Derived {

        @Bean
        @Lazy
        DataSource later(@Value("${file}") Path file) {
            return Db.pool("jdbc:sqlite:" + file + "-later", 2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Twice extends Derived {

        @Bean
        DatabaseRebuilder another() {
            return rebuilder("");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Derived {

        static final AtomicInteger BUILT = new AtomicInteger();
        static HikariDataSource pool;

        @Bean
        DataSource dataSource(@Value("${file}") Path file) {
            pool = Db.pool("jdbc:sqlite:" + file, 2);
            return pool;
        }

        @Bean
        DatabaseRebuilder rebuilder(@Value("${test:}") String mode) {
            return new DatabaseRebuilder() {

                private void kill() {
                    try {
                        Outside.run(
                                "kill",
                                "-9",
                                String.valueOf(ProcessHandle.current().pid()));
                    } catch (IOException | InterruptedException ex) {
                        throw new IllegalStateException(ex);
                    }
                }

                @Override
                public String database() {
                    return mode.startsWith("name:") ? mode.substring(5) : "dataSource";
                }

                @Override
                public void rebuild(DataSource dataSource) {
                    BUILT.incrementAndGet();
                    JdbcTemplate jdbc = new JdbcTemplate(dataSource);
                    if (mode.equals("error")) {
                        throw new NoClassDefFoundError("Source");
                    }
                    if (mode.equals("nothing")) {
                        jdbc.execute("PRAGMA user_version = 3");
                        return;
                    }
                    jdbc.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT)");
                    jdbc.execute("INSERT INTO t(body) VALUES ('one')");
                    if (mode.equals("fail")) {
                        throw new IllegalStateException("the source is away");
                    }
                    if (mode.equals("kill")) {
                        kill();
                    }
                    jdbc.execute("INSERT INTO t(body) VALUES ('two'), ('three')");
                }
            };
        }
    }
}
