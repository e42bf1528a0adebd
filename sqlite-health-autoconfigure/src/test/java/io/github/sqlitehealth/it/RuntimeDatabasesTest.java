package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.SqliteDatabases;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Databases that come and go while the application runs. */
class RuntimeDatabasesTest {

    @TempDir
    Path temporary;

    private Path folder;
    private Path first;
    private Path tenant;

    @BeforeEach
    void databases() throws Exception {
        folder = temporary.toRealPath();
        first = Db.wal(folder.resolve("app.db"));
        tenant = Db.wal(folder.resolve("tenant.db"));
    }

    @Test
    void healthMetersAndEndpointFollowAndNothingIsLeftBehind() throws Exception {
        try (ConfigurableApplicationContext app = web();
                HikariDataSource pool = Db.pool(tenant, 2)) {
            // What is held once its connections are evicted is held by the monitor.
            pool.setMinimumIdle(0);
            SqliteDatabases databases = app.getBean(SqliteDatabases.class);
            Apps.checked(app, "dataSource");
            assertThat(Http.get(app, "/actuator/health/sqlite").json().has("components"))
                    .isFalse();
            for (int i = 0; i < 2; i++) {
                databases.add("tenant-1", pool);
                Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
                WatchedDatabase database = Apps.checked(app, "tenant-1");
                database.check(Check.FULL).get(20, TimeUnit.SECONDS);
                assertThat(Http.get(app, "/actuator/health/sqlite")
                                .json()
                                .path("components")
                                .propertyNames())
                        .containsExactlyInAnyOrder("dataSource", "tenant-1");
                assertThat(Http.get(app, "/actuator/health/sqlite/tenant-1")
                                .json()
                                .path("status")
                                .asString())
                        .isEqualTo("UP");
                assertThat(Http.get(app, "/actuator/sqliteforensics/tenant-1").status())
                        .isEqualTo(200);
                assertThat(Http.get(app, "/actuator/prometheus").text()).contains("database=\"tenant-1\"");

                assertThat(databases.remove("tenant-1")).isTrue();
                pool.getHikariPoolMXBean().softEvictConnections();
                await().atMost(Duration.ofSeconds(5)).until(() -> held(tenant), List::isEmpty);
                assertThat(Http.get(app, "/actuator/sqliteforensics/tenant-1").status())
                        .isEqualTo(404);
                assertThat(Http.get(app, "/actuator/health/sqlite/tenant-1").status())
                        .isEqualTo(404);
                assertThat(Http.get(app, "/actuator/health/sqlite/dataSource")
                                .json()
                                .path("status")
                                .asString())
                        .isEqualTo("UP");
                assertThat(Http.get(app, "/actuator/prometheus").text()).doesNotContain("tenant-1");
                assertThat(app.getBean(MeterRegistry.class).getMeters())
                        .noneMatch(meter -> "tenant-1".equals(meter.getId().getTag("database")));
                assertThat(databases.remove("tenant-1")).isFalse();
            }
        }
    }

    /** Whoever removes a database may close its pool and move its file at once. */
    @Test
    void whenRemoveReturnsTheMonitorHoldsNothingAlsoInTheMiddleOfAStormOfErrors() throws Exception {
        try (ConfigurableApplicationContext app = web()) {
            SqliteDatabases databases = app.getBean(SqliteDatabases.class);
            for (int i = 0; i < 5; i++) {
                HikariDataSource pool = Db.pool(tenant, 1);
                databases.add("tenant", pool);
                Db.execute(pool, "INSERT INTO t(body) VALUES ('x')", "PRAGMA max_page_count=1");
                WatchedDatabase database = Apps.checked(app, "tenant");
                assertThatThrownBy(() -> Db.execute(pool, "INSERT INTO t(body) VALUES (hex(zeroblob(9000)))"))
                        .hasMessageContaining("FULL");
                database.check(Check.FULL);
                pool.close();
                databases.remove("tenant");
                assertThat(held(tenant)).isEmpty();
            }
            // What was under way must not open it again.
            await().during(Duration.ofSeconds(2))
                    .atMost(Duration.ofSeconds(4))
                    .until(() -> held(tenant), List::isEmpty);
        }
    }

    /** Tenants with a folder each would use up what the system allows a user to watch. */
    @Test
    void whoIsRemovedLeavesNoWatchOnItsFolder() throws Exception {
        Path own = Files.createDirectory(folder.resolve("own"));
        String inode = Long.toHexString((Long) Files.getAttribute(own, "unix:ino"));
        try (ConfigurableApplicationContext app = web();
                HikariDataSource pool = Db.pool(Db.wal(own.resolve("app.db")), 1)) {
            SqliteDatabases databases = app.getBean(SqliteDatabases.class);
            databases.add("tenant", pool);
            Apps.checked(app, "tenant");
            await().untilAsserted(() -> assertThat(watches(inode)).isPositive());
            databases.remove("tenant");
            await().untilAsserted(() -> assertThat(watches(inode)).isZero());
        }
    }

    /** As Linux shows them: {@code inotify wd:1 ino:3d0e sdev:fe00000 mask:300}. */
    private static long watches(String inode) throws Exception {
        long watches = 0;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fdinfo"))) {
            for (Path each : all.toList()) {
                try {
                    watches += Files.readAllLines(each).stream()
                            .filter(line -> line.startsWith("inotify ") && line.contains(" ino:" + inode + " "))
                            .count();
                } catch (IOException ex) {
                    // Closed meanwhile.
                    continue;
                }
            }
        }
        return watches;
    }

    @Test
    void aSecondDataSourceOnTheSameFileLeavesWithoutTheFirst() throws Exception {
        try (ConfigurableApplicationContext app = web();
                HikariDataSource one = Db.pool(tenant, 1);
                HikariDataSource two = Db.pool(tenant, 1)) {
            SqliteDatabases databases = app.getBean(SqliteDatabases.class);
            Monitor monitor = app.getBean(Monitor.class);
            databases.add("one", one);
            Db.execute(one, "SELECT 1");
            WatchedDatabase watched = Apps.checked(app, "one");
            databases.add("two", two);
            Db.execute(two, "SELECT 1");
            await().until(() -> watched.dataSources().equals(List.of("one", "two")));
            databases.remove("two");
            assertThat(watched.dataSources()).containsExactly("one");
            assertThat(Http.get(app, "/actuator/sqliteforensics/two").status()).isEqualTo(404);
            databases.add("two", two);
            await().until(() -> watched.dataSources().equals(List.of("one", "two")));
            databases.remove("one");
            await().until(() -> monitor.database("two").isPresent());
            assertThat(Apps.checked(app, "two").dataSources()).containsExactly("two");
            assertThat(monitor.database("one")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a b", "a/b", "../a", "é", ".a"})
    void aNameThatWouldNotFitIntoAnAddressIsRefused(String name) {
        Apps.runner().run(context -> {
            SqliteDatabases databases = context.getBean(SqliteDatabases.class);
            try (HikariDataSource pool = Db.pool(tenant, 1)) {
                assertThatThrownBy(() -> databases.add(name, pool))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("\"" + name + "\" must begin with a letter or digit");
                assertThatThrownBy(() -> databases.add("x".repeat(101), pool)).hasMessageContaining("99");
                databases.add("x".repeat(100), pool);
                assertThatThrownBy(() -> databases.add("x".repeat(100), pool))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("is taken; remove the other one first");
            }
        });
    }

    @Test
    void whereMetersAreForTheUnhealthyOnlyAHealthyDatabaseHasNone() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Apps.runner()
                .withBean(MeterRegistry.class, () -> registry)
                .withBean("ds", DataSource.class, () -> Db.pool(first, 2))
                .withPropertyValues("sqlite.health.metrics.only-unhealthy=true")
                .run(context -> {
                    Db.execute(context.getBean(DataSource.class), "INSERT INTO t(body) VALUES ('x')");
                    Apps.checked(context, "ds");
                    assertThat(registry.getMeters()).isEmpty();
                    Files.delete(Path.of(first + "-wal"));
                    Apps.awaitVerdict(context, "ds", Verdict.STRANDED);
                    await().until(() ->
                            registry.find("sqlite.health.verdict").tag("verdict", "STRANDED").gauges().stream()
                                    .anyMatch(gauge -> gauge.value() == 1));
                });
    }

    private ConfigurableApplicationContext web() {
        return Apps.web(Apps.Ordinary.class, "spring.datasource.url=" + Db.url(first));
    }

    /** What this process holds of a database, by the names that the system shows. */
    private static List<String> held(Path file) throws Exception {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(RuntimeDatabasesTest::target)
                    .filter(name -> name.equals(file.toString())
                            || name.startsWith(file + "-wal")
                            || name.startsWith(file + "-shm"))
                    .toList();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (java.io.IOException ex) {
            return "";
        }
    }
}
