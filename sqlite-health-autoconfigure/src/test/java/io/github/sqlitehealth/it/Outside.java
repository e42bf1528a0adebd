package io.github.sqlitehealth.it;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;

/** The SQLite shell as another process that uses a database, until it is closed. */
public final class Outside implements AutoCloseable {

    private final Process process;

    private Outside(Process process) {
        this.process = process;
    }

    /** The statements have been carried out when this returns; what they began goes on. */
    public static Outside sqlite(Path file, String statements) throws IOException {
        boolean installed = Files.isExecutable(Path.of("/usr/bin/sqlite3"));
        Assumptions.assumeTrue(installed, "sqlite3 is not installed, so nobody outside can act");
        Path done = Files.createTempFile("outside-", ".done");
        Files.delete(done);
        Process process = new ProcessBuilder("/usr/bin/sqlite3", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Writer to = process.outputWriter(StandardCharsets.UTF_8);
        to.write(statements + "\n.shell touch '" + done + "'\n");
        to.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(done));
        Files.delete(done);
        return new Outside(process);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
