package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.sqlite.SQLiteConfig;

/** Several connections of an application that go on writing rows to table {@code w}, each with the next number. */
final class Writers implements AutoCloseable {

    final AtomicLong acknowledged = new AtomicLong();
    final List<SQLException> failures = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    Writers(Path file, int count, Duration busyTimeout, Duration rest) {
        for (int number = 0; number < count; number++) {
            Thread thread = new Thread(() -> write(file, busyTimeout, rest), "writer-" + number);
            thread.start();
            threads.add(thread);
        }
    }

    private void write(Path file, Duration busyTimeout, Duration rest) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout((int) busyTimeout.toMillis());
        try (Connection connection = config.createConnection("jdbc:sqlite:" + file);
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO w(body) VALUES (hex(randomblob(50)))")) {
            while (!stopped) {
                try {
                    insert.executeUpdate();
                    acknowledged.incrementAndGet();
                } catch (SQLException ex) {
                    failures.add(ex);
                }
                LockSupport.parkNanos(rest.toNanos());
            }
        } catch (SQLException ex) {
            failures.add(ex);
        }
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException ex) {
                    throw new IllegalStateException(ex);
                }
            }
        }
    }
}
