package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.fixture.Outside;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class HikariHandlesTest {

    @TempDir
    Path folder;

    @Test
    void thisVersionOfHikariCanBeAskedInTurn() {
        assertThat(HikariHandles.works()).isTrue();
    }

    @Test
    void eachIdleConnectionGetsItsTurnAndOnlyOne() throws Exception {
        try (HikariDataSource pool = pool(4, "")) {
            HikariHandles handles = new HikariHandles(pool, () -> true);
            Set<String> asked = new HashSet<>();
            Set<Connection> connections = new HashSet<>();
            for (LiveHandle handle = handles.take(asked); handle != null; handle = handles.take(asked)) {
                try (LiveHandle lent = handle) {
                    assertThat(asked.add(lent.name())).isTrue();
                    connections.add(lent.connection());
                    assertThat(pool.getHikariPoolMXBean().getIdleConnections())
                            .as("one at a time")
                            .isEqualTo(3);
                }
            }
            assertThat(asked).hasSize(4).isEqualTo(handles.open());
            assertThat(connections).hasSize(4);
            assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isEqualTo(4);
        }
    }

    @Test
    void theLastFreeConnectionIsLeftToTheApplication() throws Exception {
        try (HikariDataSource pool = pool(2, "");
                Connection used = pool.getConnection()) {
            HikariHandles handles = new HikariHandles(pool, () -> true);
            assertThat(handles.take(Set.of())).isNull();
            assertThat(pool.getHikariPoolMXBean().getIdleConnections()).isEqualTo(1);
            assertThat(used.isClosed()).isFalse();
        }
    }

    @Test
    void theLastOneThatIsOpenMayBeLentAsLongAsThePoolCanGrow() throws Exception {
        try (HikariDataSource pool = pool(5, "", 1)) {
            LiveHandle handle = new HikariHandles(pool, () -> true).take(Set.of());
            try (LiveHandle lent = Objects.requireNonNull(handle)) {
                assertThat(lent.spare()).isTrue();
                try (Connection another = pool.getConnection()) {
                    assertThat(another.isValid(1)).isTrue();
                }
            }
        }
        try (HikariDataSource pool = pool(5, "", 1)) {
            assertThat(new HikariHandles(pool, () -> false).take(Set.of()))
                    .as("new connections of a stranded process do not work")
                    .isNull();
        }
    }

    @Test
    void theOnlyConnectionOfAPoolIsLentWhenItIsIdleAndCountsAsMissed() throws Exception {
        try (HikariDataSource pool = pool(1, "")) {
            HikariHandles handles = new HikariHandles(pool, () -> true);
            try (LiveHandle handle = Objects.requireNonNull(handles.take(Set.of()))) {
                assertThat(handle.spare()).isFalse();
                assertThat(handles.take(Set.of(handle.name()))).isNull();
            }
            try (Connection used = pool.getConnection()) {
                assertThat(handles.take(Set.of())).isNull();
                assertThat(used.isValid(1)).isTrue();
            }
        }
    }

    @Test
    void anExhaustedPoolAnswersAtOnceAndIsNotWaitedFor() throws Exception {
        try (HikariDataSource pool = pool(3, "")) {
            List<Connection> used = new ArrayList<>();
            for (int each = 0; each < 3; each++) {
                used.add(pool.getConnection());
            }
            HikariHandles handles = new HikariHandles(pool, () -> true);
            long start = System.nanoTime();
            assertThat(handles.take(Set.of())).isNull();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(500));
            assertThat(handles.open()).hasSize(3);
            assertThat(handles.mayBeOpen()).isTrue();
            for (Connection connection : used) {
                connection.close();
            }
        }
    }

    @Test
    void aPoolThatHasNotBegunOrHasEndedHoldsNothing() throws Exception {
        HikariConfig config = config(2, "", 2);
        HikariDataSource lazy = new HikariDataSource();
        config.copyStateTo(lazy);
        try (lazy) {
            HikariHandles handles = new HikariHandles(lazy, () -> true);
            assertThat(handles.take(Set.of())).isNull();
            assertThat(handles.mayBeOpen()).isFalse();
            lazy.getConnection().close();
            await().until(handles::mayBeOpen);
        }
        assertThat(new HikariHandles(lazy, () -> true).take(Set.of())).isNull();
    }

    /** Incident 31, at night: a pool that has let go of its last connection is not silent. */
    @Test
    void aPoolThatHasLetGoOfAllItsConnectionsHasNoneThatCouldBeWrong() throws Exception {
        try (HikariDataSource pool = pool(2, "", 0)) {
            HikariHandles handles = new HikariHandles(pool, () -> true);
            pool.getConnection().close();
            pool.getHikariPoolMXBean().softEvictConnections();
            await().until(() -> !handles.mayBeOpen());
            assertThat(witness(handles).ask().testimony().text()).contains("no connection open");
        }
    }

    @Test
    void aConnectionWithAutocommitOffComesBackWithoutATransaction() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10, "delete");
        HikariConfig config = config(2, "", 2);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == 2);
            Testimony said = witness(new HikariHandles(pool, () -> true)).ask().testimony();
            assertThat(said.ok()).as(said.text()).isTrue();
            Outside.sqlite3(file, "PRAGMA busy_timeout=0; BEGIN EXCLUSIVE; DELETE FROM t; COMMIT");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(connection.getAutoCommit()).isFalse();
                statement.execute("INSERT INTO t(body) VALUES ('x')");
                connection.commit();
            }
            assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("1");
        }
    }

    @Test
    void theApplicationIsNotKeptFromWorkingWhileItsConnectionsAreAsked() throws Exception {
        try (HikariDataSource pool = pool(3, "")) {
            LiveWitness witness = witness(new HikariHandles(pool, () -> true));
            Thread application = new Thread(() -> {
                try {
                    for (int row = 0; row < 300; row++) {
                        try (Connection connection = pool.getConnection();
                                Statement statement = connection.createStatement()) {
                            statement.execute("INSERT INTO t(body) VALUES ('x')");
                        }
                    }
                } catch (Exception ex) {
                    throw new IllegalStateException(ex);
                }
            });
            List<Throwable> failures = new ArrayList<>();
            application.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure));
            application.start();
            while (application.isAlive()) {
                assertThat(witness.ask().testimony().bad()).isFalse();
            }
            assertThat(failures).isEmpty();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
        assertThat(Outside.sqlite3(folder.resolve("app.db"), "SELECT count(*) FROM t"))
                .isEqualTo("310");
    }

    @Test
    void anyOtherDataSourceIsAskedOnceAndNeverCreatesAFile() throws Exception {
        Path file = folder.resolve("later.db");
        SQLiteDataSource dataSource = new SQLiteDataSource();
        dataSource.setUrl("jdbc:sqlite:" + file);
        DataSourceHandles handles = new DataSourceHandles(dataSource, file, () -> true, any -> true);
        assertThat(handles.take(Set.of())).isNull();
        assertThat(file).doesNotExist();
        Outside.database(file, 3);
        LiveHandle handle = Objects.requireNonNull(handles.take(Set.of()));
        try (LiveHandle lent = handle) {
            assertThat(lent.spare()).isTrue();
            assertThat(handles.take(Set.of(lent.name()))).isNull();
        }
        assertThat(handle.connection().isClosed()).isTrue();
        assertThat(witness(handles).ask().testimony().ok()).isTrue();
        Files.delete(file);
        assertThat(witness(handles).ask().testimony().ok()).isFalse();
        assertThat(file).doesNotExist();
    }

    @Test
    void aConnectionOfWhichNobodyKnowsWhoseTransactionItIsInIsLeftAlone() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 3);
        HikariConfig config = config(1, "", 1);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThat(new DataSourceHandles(pool, file, () -> true, any -> true).take(Set.of()))
                    .isNull();
            await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
        }
    }

    private static LiveWitness witness(LiveHandles handles) {
        Duration limit = Duration.ofSeconds(20);
        return new LiveWitness(List.of(handles), new ReadLimits(limit, limit, limit, 2), Timepiece.system());
    }

    private HikariDataSource pool(int size, String parameters) throws Exception {
        return pool(size, parameters, size);
    }

    private HikariDataSource pool(int size, String parameters, int idle) throws Exception {
        Path file = folder.resolve("app.db");
        if (!Files.exists(file)) {
            Outside.database(file, 10);
        }
        HikariDataSource pool = new HikariDataSource(config(size, parameters, idle));
        await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == idle);
        return pool;
    }

    private HikariConfig config(int size, String parameters, int idle) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + folder.resolve("app.db") + parameters);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(idle);
        config.setInitializationFailTimeout(-1);
        return config;
    }
}
