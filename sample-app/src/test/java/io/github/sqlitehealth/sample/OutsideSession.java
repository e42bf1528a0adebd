package io.github.sqlitehealth.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A {@code sqlite3} that stays open: it holds a transaction, and with it its locks, while the test goes on. */
final class OutsideSession implements AutoCloseable {

    private static final String DONE = "-- done";

    private final Process process;
    private final BufferedReader output;

    OutsideSession(Path database) throws IOException {
        process = Act.start("sqlite3", List.of("sqlite3", "-batch", database.toString()));
        output = process.inputReader(UTF_8);
    }

    /** Returns when the statements are through. */
    void run(String sql) throws IOException {
        process.getOutputStream().write((sql + ";\n.print '" + DONE + "'\n").getBytes(UTF_8));
        process.getOutputStream().flush();
        for (String line = output.readLine(); !DONE.equals(line); line = output.readLine()) {
            if (line == null || line.contains("rror")) {
                throw new AssertionError(sql + " failed: " + line);
            }
        }
    }

    /** The end of its input is the end of the program: an open transaction is rolled back. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        output.lines().forEach(line -> {});
    }
}
