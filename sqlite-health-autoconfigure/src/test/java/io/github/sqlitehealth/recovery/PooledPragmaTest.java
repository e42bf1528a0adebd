package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.recovery.PooledPragma.Coverage;
import io.github.sqlitehealth.witness.DataSourceHandles;
import io.github.sqlitehealth.witness.HikariHandles;
import io.github.sqlitehealth.witness.LiveHandles;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

class PooledPragmaTest {

    /** Whoever waits for the write lock of SQLite waits in no queue, and may have to wait for long. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Path file;

    @BeforeEach
    void database() throws Exception {
        file = Outside.database(folder.resolve("app.db"), 10);
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void idleConnectionsThoseInUseAndNewOnesAreSetAndGetBackWhatTheyHad() throws Exception {
        try (HikariDataSource pool = pool(3, 2, "")) {
            set(pool, "wal_autocheckpoint", 77);
            PooledPragma freeze = PooledPragma.noCheckpoints(handles(pool), threads);
            try (Connection used = pool.getConnection()) {
                awaitCovered(freeze, 2);
                assertThat(number(used, "wal_autocheckpoint")).isZero();
                try (Connection other = pool.getConnection();
                        Connection third = pool.getConnection()) {
                    awaitCovered(freeze, 3);
                    assertThat(number(other, "wal_autocheckpoint")).isZero();
                    assertThat(number(third, "wal_autocheckpoint")).isZero();
                }
            }
            await().until(() -> freeze.restore().covered() == 0);
            List<Long> now = new ArrayList<>();
            List<Connection> all = List.of(pool.getConnection(), pool.getConnection(), pool.getConnection());
            for (Connection each : all) {
                now.add(number(each, "wal_autocheckpoint"));
                each.close();
            }
            assertThat(now).containsExactlyInAnyOrder(77L, 77L, 1000L);
        }
    }

    @Test
    void aTransactionUnderWayIsLeftAlone() throws Exception {
        try (HikariDataSource pool = pool(1, 1, "");
                Connection used = pool.getConnection();
                Statement statement = used.createStatement()) {
            PooledPragma freeze = PooledPragma.noCheckpoints(handles(pool), threads);
            used.setAutoCommit(false);
            statement.execute("INSERT INTO t(body) VALUES ('one')");
            awaitCovered(freeze, 1);
            assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("10");
            used.rollback();
            assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("10");
            used.setAutoCommit(true);
            // Between the steps of a writing statement: what the driver does after a statement of its own would break
            // it.
            try (PreparedStatement insert =
                            used.prepareStatement("INSERT INTO t(body) VALUES ('a'), ('b'), ('c') RETURNING id");
                    ResultSet ids = insert.executeQuery()) {
                ids.next();
                await().until(() -> freeze.restore().covered() == 0);
                awaitCovered(freeze, 1);
                awaitCovered(PooledPragma.noWrites(handles(pool), threads), 1);
                while (ids.next()) {
                    continue;
                }
            }
            assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t")).isEqualTo("13");
        }
    }

    @Test
    void whatIsWrittenAfterwardsIsRefusedWhereNothingMayBeWritten() throws Exception {
        try (HikariDataSource pool = pool(2, 2, "")) {
            PooledPragma noWrites = PooledPragma.noWrites(handles(pool), threads);
            awaitCovered(noWrites, 2);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThatExceptionOfType(SQLException.class)
                        .isThrownBy(() -> statement.execute("INSERT INTO t(body) VALUES ('x')"))
                        .withMessageContaining("SQLITE_READONLY");
                assertThat(number(connection, "page_count")).isPositive();
            }
            await().until(() -> noWrites.restore().covered() == 0);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO t(body) VALUES ('x')");
            }
        }
    }

    /** Many threads, few connections: none of them is ever idle for long. */
    @Test
    void aBusyPoolIsCoveredWhileEveryRowItAcknowledgesIsThere() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger acknowledged = new AtomicInteger();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        try (HikariDataSource pool = pool(4, 4, "")) {
            for (int i = 0; i < 12; i++) {
                writers.add(CompletableFuture.runAsync(() -> write(pool, stopped, acknowledged), threads));
            }
            await().until(() -> acknowledged.get() > 100);
            PooledPragma freeze = PooledPragma.noCheckpoints(handles(pool), threads);
            long start = System.nanoTime();
            awaitCovered(freeze, 4);
            System.out.println("A busy pool was frozen after " + (System.nanoTime() - start) / 1_000_000 + " ms");
            for (int i = 0; i < 3; i++) {
                await().atMost(PATIENCE).until(() -> freeze.restore().covered() == 0);
                awaitCovered(freeze, 4);
            }
            stopped.set(true);
            writers.forEach(CompletableFuture::join);
        }
        assertThat(Outside.sqlite3(file, "SELECT count(*) FROM t; PRAGMA integrity_check"))
                .isEqualTo((10 + acknowledged.get()) + "\nok");
    }

    private static void write(HikariDataSource pool, AtomicBoolean stopped, AtomicInteger acknowledged) {
        while (!stopped.get()) {
            try (Connection connection = pool.getConnection();
                    PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO t(body) VALUES ('x') RETURNING id");
                    ResultSet id = insert.executeQuery()) {
                id.next();
                while (id.next()) {
                    continue;
                }
                acknowledged.incrementAndGet();
            } catch (SQLException ex) {
                throw new IllegalStateException(ex);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Test
    void connectionsThatCannotBeSeenAreCounted() {
        SQLiteDataSource plain = new SQLiteDataSource();
        plain.setUrl("jdbc:sqlite:" + file);
        LiveHandles handles = new DataSourceHandles(plain, file, () -> true, connection -> true);
        Coverage coverage =
                PooledPragma.noCheckpoints(List.of(handles), threads).set();
        assertThat(coverage).isEqualTo(new Coverage(0, 0, 1));
        assertThat(coverage.whole()).isFalse();
    }

    private static void awaitCovered(PooledPragma pragma, int connections) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(pragma::set, new Coverage(connections, connections, 0)::equals);
    }

    private static List<LiveHandles> handles(HikariDataSource pool) {
        return List.of(new HikariHandles(pool, () -> true));
    }

    private static void set(HikariDataSource pool, String pragma, int value) throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < pool.getMinimumIdle(); i++) {
            all.add(pool.getConnection());
        }
        for (Connection each : all) {
            try (Statement statement = each.createStatement()) {
                statement.execute("PRAGMA " + pragma + "=" + value);
            }
            each.close();
        }
    }

    private static long number(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA " + pragma)) {
            row.next();
            return row.getLong(1);
        }
    }

    private HikariDataSource pool(int size, int idle, String parameters) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:sqlite:" + file + "?busy_timeout=30000" + parameters);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(idle);
        HikariDataSource pool = new HikariDataSource(config);
        await().until(() -> pool.getHikariPoolMXBean().getIdleConnections() == idle);
        return pool;
    }
}
