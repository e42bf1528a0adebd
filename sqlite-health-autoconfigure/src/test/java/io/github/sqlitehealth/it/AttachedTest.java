package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Databases that the application's connections attach. */
class AttachedTest {

    private static final String NAME = "dataSource.archive";

    @TempDir
    Path temporary;

    @Test
    void anAttachedDatabaseIsWatchedUnderItsOwnNameAndItsDamageIsNotThatOfMain() throws Exception {
        Path folder = temporary.toRealPath();
        Path main = Db.wal(folder.resolve("app.db"));
        Path archive = Outside.database(folder.resolve("archive.db"), 200);
        try (ConfigurableApplicationContext app = web(main, archive)) {
            Db.execute(app.getBean(DataSource.class), "INSERT INTO main.t(body) VALUES ('x')");
            WatchedDatabase owner = Apps.checked(app, "dataSource");
            WatchedDatabase attached = Apps.checked(app, NAME);
            assertThat(attached.state().file()).isEqualTo(archive);
            attached.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            assertThat(attached.state().verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(Http.get(app, "/actuator/health/sqlite")
                            .json()
                            .path("components")
                            .propertyNames())
                    .containsExactlyInAnyOrder("dataSource", NAME);
            assertThat(Http.get(app, "/actuator/sqliteforensics/" + NAME).status())
                    .isEqualTo(200);
            assertThat(Http.get(app, "/actuator/prometheus").text()).contains("database=\"" + NAME + "\"");

            Outside.damage(archive, "t");
            Apps.awaitVerdict(app, NAME, Verdict.DAMAGED);
            owner.check(Check.QUICK).get(20, TimeUnit.SECONDS);
            owner.check(Check.FULL).get(20, TimeUnit.SECONDS);
            assertThat(owner.state().verdict()).isEqualTo(Verdict.HEALTHY);
            assertThat(Http.get(app, "/actuator/health/sqlite/dataSource")
                            .json()
                            .path("status")
                            .asString())
                    .isEqualTo("UP");
            assertThat(Http.get(app, "/actuator/health/sqlite/" + NAME)
                            .json()
                            .path("status")
                            .asString())
                    .isEqualTo("DOWN");
        }
    }

    @Test
    void whatNoConnectionHasAttachedAnyMoreIsWatchedNoLonger() throws Exception {
        Path folder = temporary.toRealPath();
        Path archive = Db.wal(folder.resolve("archive.db"));
        try (ConfigurableApplicationContext app = web(Db.wal(folder.resolve("app.db")), archive)) {
            HikariDataSource pool = app.getBean(HikariDataSource.class);
            Db.execute(pool, "SELECT 1");
            Apps.checked(app, NAME);
            Db.execute(pool, "DETACH archive");
            Monitor monitor = app.getBean(Monitor.class);
            await().until(() -> monitor.database(NAME).isEmpty());
            assertThat(Http.get(app, "/actuator/sqliteforensics/" + NAME).status())
                    .isEqualTo(404);
            // The name is free before the last of the meters has gone.
            await().untilAsserted(() ->
                    assertThat(Http.get(app, "/actuator/prometheus").text()).doesNotContain(NAME));
            assertThat(Http.get(app, "/actuator/health/sqlite")
                            .json()
                            .path("components")
                            .propertyNames())
                    .containsExactly("dataSource");
        }
    }

    @Test
    void whatIsAttachedAfterTheMonitorWasStoppedAndStartedIsWatchedAsWell() throws Exception {
        Path folder = temporary.toRealPath();
        Path archive = Db.wal(folder.resolve("archive.db"));
        try (ConfigurableApplicationContext app = web(Db.wal(folder.resolve("app.db")), archive)) {
            HikariDataSource pool = app.getBean(HikariDataSource.class);
            Db.execute(pool, "SELECT 1", "DETACH archive");
            Apps.checked(app, "dataSource");
            Monitor monitor = app.getBean(Monitor.class);
            await().until(() -> monitor.database(NAME).isEmpty());
            monitor.stop();
            monitor.start();
            Db.execute(pool, "ATTACH '" + archive + "' AS archive");
            WatchedDatabase attached = Apps.checked(app, NAME);
            Moment seen = attached.now();
            await().until(() -> attached.state().ticks().get(Check.IDENTITY).isAfter(seen));
        }
    }

    private static ConfigurableApplicationContext web(Path main, Path archive) {
        return Apps.web(
                Apps.Ordinary.class,
                "spring.datasource.url=" + Db.url(main),
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-init-sql=ATTACH '" + archive + "' AS archive");
    }
}
