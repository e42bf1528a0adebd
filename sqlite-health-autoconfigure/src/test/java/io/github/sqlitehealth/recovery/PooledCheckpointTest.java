package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.witness.LiveHandle;
import io.github.sqlitehealth.witness.LiveHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

class PooledCheckpointTest {

    @TempDir
    Path folder;

    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private Path wal;
    private Connection connection;
    private PooledCheckpoint checkpoint;

    @BeforeEach
    void aRowInTheWal() throws Exception {
        Path file = Outside.database(folder.resolve("app.db"), 10);
        wal = Path.of(file + "-wal");
        connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t(body) VALUES ('x')");
        }
        checkpoint = new PooledCheckpoint(List.of(new Seen(connection)), threads);
    }

    @AfterEach
    void close() throws Exception {
        threads.shutdownNow();
        connection.close();
    }

    @Test
    void movesAllIntoTheMainFile() throws Exception {
        assertThat(Files.size(wal)).isPositive();
        assertThat(checkpoint.run(Duration.ofSeconds(30))).isTrue();
        assertThat(Files.size(wal)).isZero();
    }

    /** The process may be ended next, so nothing may begin any more. */
    @Test
    void whatIsGivenUpBeforeItHasBegunNeverBegins() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        Object busy = connection.unwrap(SQLiteConnection.class).getDatabase();
        CompletableFuture<Void> statement = CompletableFuture.runAsync(() -> {
            synchronized (busy) {
                taken.countDown();
                await().forever().until(() -> letGo.getCount() == 0);
            }
        });
        assertThat(taken.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(checkpoint.run(Duration.ofMillis(50))).isFalse();
        letGo.countDown();
        statement.join();
        threads.shutdown();
        assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.size(wal)).isPositive();
    }

    private record Seen(Connection connection) implements LiveHandles {

        @Override
        public @Nullable LiveHandle take(Set<String> not) {
            return null;
        }

        @Override
        public Set<String> open() {
            return Set.of("one");
        }

        @Override
        public boolean mayBeOpen() {
            return true;
        }

        @Override
        public List<Connection> connections() {
            return List.of(connection);
        }
    }
}
