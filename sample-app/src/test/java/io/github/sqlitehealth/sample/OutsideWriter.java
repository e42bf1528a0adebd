package io.github.sqlitehealth.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** Another process that writes without a pause into the database that it finds at the path, and what it was promised. */
final class OutsideWriter implements AutoCloseable {

    private final OutsideSession session;
    private final Set<String> acknowledged = new TreeSet<>();
    private final Thread thread = new Thread(this::write, "outside-writer");
    private volatile boolean stopped;

    OutsideWriter(Path database) throws IOException {
        session = new OutsideSession(database);
        session.run("pragma busy_timeout = 10000");
        thread.start();
    }

    private void write() {
        for (int n = 1; !stopped; n++) {
            String body = "written outside " + n;
            try {
                session.run("insert into messages (body) values ('" + body + "')");
                synchronized (acknowledged) {
                    acknowledged.add(body);
                }
            } catch (IOException | AssertionError refused) {
                // Nothing was promised. A database that is damaged under it ends the session.
                return;
            }
        }
    }

    Set<String> acknowledged() {
        synchronized (acknowledged) {
            return Set.copyOf(acknowledged);
        }
    }

    @Override
    public void close() throws IOException {
        stop();
    }

    /** Ends after the row that is under way, and closes the database. */
    void stop() throws IOException {
        if (!stopped) {
            stopped = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            session.close();
        }
    }
}
