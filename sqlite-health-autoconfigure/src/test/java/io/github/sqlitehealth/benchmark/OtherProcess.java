package io.github.sqlitehealth.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A second JVM that holds the write lock of a database until it is ended. */
final class OtherProcess implements AutoCloseable {

    private final Process process;

    private OtherProcess(Process process) {
        this.process = process;
    }

    static OtherProcess lock(Path database) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProcess.class.getName(),
                        database.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        assertThat(output.readLine()).isEqualTo("locked");
        return new OtherProcess(process);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** The other process itself. */
    public static void main(String[] args) throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
                Statement statement = connection.createStatement()) {
            statement.execute("begin immediate");
            statement.execute("insert into rows (text) values ('of another process')");
            System.out.println("locked");
            // Until the one that started it closes the pipe or ends it.
            System.in.read();
        }
    }
}
