package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.MonitorState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.InitializingBean;

/** Rules of the content, and an application that begins with nothing. */
class FirstStartTest {

    private static final String[] RULES = {
        "sqlite.health.content.required-tables=orders", "sqlite.health.content.row-floors.messages=3"
    };

    @TempDir
    Path folder;

    /** As Flyway or a data.sql does: something is there before anybody looks, and less than there will be. */
    @ParameterizedTest
    @CsvSource({"app.db, false", "app.db, true", "linked/app.db, false"})
    void whatIsNotThereYetInADatabaseThatIsJustCreatedIsNoAlarmAlsoAfterARestart(String name, boolean emptyFile)
            throws Exception {
        Path real = Files.createDirectory(folder.resolve("real"));
        Files.createSymbolicLink(folder.resolve("linked"), real);
        Path file = folder.resolve(name);
        if (emptyFile) {
            Files.createFile(file);
        }
        for (int start = 0; start < 2; start++) {
            Apps.runner()
                    .withPropertyValues(RULES)
                    .withPropertyValues("sqlite.health.startup.fail-fast=true")
                    .withBean("ds", HikariDataSource.class, () -> Db.pool(file, 2))
                    .withBean(Migration.class)
                    .run(context -> {
                        MonitorState state = Apps.checked(context, "ds").state();
                        assertThat(state.verdict()).isEqualTo(Verdict.HEALTHY);
                        assertThat(state.incidents()).isEmpty();
                    });
        }
    }

    @Test
    void whatIsMissingInADatabaseThatWasThereBeforeIsNamedAtTheFirstLook() throws Exception {
        Path file = folder.resolve("app.db");
        try (HikariDataSource pool = Db.pool(file, 1)) {
            new Migration(pool).afterPropertiesSet();
        }
        Apps.runner()
                .withPropertyValues(RULES)
                .withBean("ds", HikariDataSource.class, () -> Db.pool(file, 2))
                .withBean(Migration.class)
                .run(context -> {
                    String text = Apps.awaitVerdict(context, "ds", Verdict.EMPTIED)
                            .latch()
                            .first()
                            .finding()
                            .text();
                    assertThat(text).contains("table orders", "3 rows in messages");
                });
    }

    /** After the {@code DataSource} has been created, and before anybody looks. */
    static final class Migration implements InitializingBean {

        private final DataSource dataSource;

        Migration(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @Override
        public void afterPropertiesSet() throws SQLException {
            Db.execute(
                    dataSource,
                    "CREATE TABLE IF NOT EXISTS history(id INTEGER PRIMARY KEY)",
                    "CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY, body TEXT)",
                    "INSERT OR REPLACE INTO history VALUES (1)",
                    "INSERT OR REPLACE INTO messages VALUES (1, 'the first one')");
        }
    }
}
