package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.sqlitehealth.it.Db;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What whoever sets a property to nonsense reads on the console. */
@Isolated("it reads the console, which is everybody's")
@ExtendWith(OutputCaptureExtension.class)
class BadPropertiesTest {

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "identity-watch.interval, -1s, must be more than 0",
        "identity-watch.interval, 0s, must be more than 0",
        "identity-watch.initial-delay, -1ms, must not be negative",
        "quick-check.interval, -5m, must be more than 0",
        "quick-check.initial-delay, -1s, must not be negative",
        "quick-check.timeout, 0, must be more than 0",
        "quick-check.retries, -1, must not be negative",
        "quick-check.live-budget, -1s, must be more than 0",
        "full-check.interval, 0s, must be more than 0",
        "full-check.timeout, -1s, must be more than 0",
        "max-check-load, 0, must be more than 0 and at most 1",
        "max-check-load, 1.5, must be more than 0 and at most 1",
        "max-check-load, NaN, must be more than 0 and at most 1",
        "alarm.repeat-interval, 0s, must be more than 0",
        "stale-after, -1s, must be more than 0",
        "snapshots.max-count, 0, must be at least 1",
        "backup.interval, 0s, must be more than 0",
        "backup.keep, 0, must be at least 1",
        "backup.timeout, -1s, must be more than 0",
        "snapshots.max-size, 0B, must be more than 0",
        "snapshots.holders-timeout, 0s, must be more than 0",
        "status.damaged, FINE, 'must be one of UP, DOWN, OUT_OF_SERVICE, UNKNOWN, DEGRADED'",
        "status.connection-confused, '', must be one of",
    })
    void aValueThatMakesNoSenseIsNamedWithItsRuleAndItsOrigin(
            String property, String value, String rule, CapturedOutput console) {
        String name = "sqlite.health." + property;
        assertThatThrownBy(() -> start(name, value)).isNotNull();
        assertThat(console.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains("The property " + name + " = " + value + " (from \"" + name
                        + "\" from property source \"commandLineArgs\") " + rule)
                .contains("Correct the value of " + name);
    }

    @Test
    void aSnapshotDirectoryThatIsAFileIsNamed(CapturedOutput console) throws Exception {
        Path file = Files.createFile(folder.resolve("a-file"));
        assertThatThrownBy(() -> start("sqlite.health.snapshots.directory", file.toString()))
                .isNotNull();
        assertThat(console.getOut())
                .contains("The property sqlite.health.snapshots.directory = " + file)
                .contains("is a file; name a directory");
    }

    @Test
    void aBackupDirectoryThatIsAFileIsNamed(CapturedOutput console) throws Exception {
        Path file = Files.createFile(folder.resolve("a-file"));
        assertThatThrownBy(() -> start("sqlite.health.backup.directory", file.toString()))
                .isNotNull();
        assertThat(console.getOut())
                .contains("The property sqlite.health.backup.directory = " + file)
                .contains("is a file; name a directory");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource({
        "quick-check.interval, soon",
        "quick-check.retries, some",
        "max-check-load, half",
        "startup.check, sometimes",
        "snapshots.max-size, big",
        "anchor.enabled, perhaps",
    })
    void aValueOfTheWrongKindIsNamedByBoot(String property, String value, CapturedOutput console) {
        assertThatThrownBy(() -> start("sqlite.health." + property, value)).isNotNull();
        assertThat(console.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains("Property: sqlite.health." + property)
                .contains("Value: \"" + value + "\"");
    }

    @Test
    void anUnknownVerdictIsNamed(CapturedOutput console) {
        assertThatThrownBy(() -> start("sqlite.health.status.broken", "DOWN")).isNotNull();
        assertThat(console.getOut())
                .contains("APPLICATION FAILED TO START")
                .contains("sqlite.health.status")
                .contains("broken");
    }

    private void start(String property, String value) {
        new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .run("--spring.main.banner-mode=off", "--" + property + "=" + value)
                .close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SqliteHealthAutoConfiguration.class)
    static class App {

        @Bean
        DataSource ds() {
            return Db.pool("jdbc:sqlite::memory:", 1);
        }
    }
}
