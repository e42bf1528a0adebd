package io.github.sqlitehealth.os;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Other processes for a test, gone when it ends. */
final class Children implements AutoCloseable {

    private final List<Process> processes = new ArrayList<>();

    static void need(String program) {
        boolean found = false;
        for (String directory : System.getenv("PATH").split(":")) {
            found |= Files.isExecutable(Path.of(directory, program));
        }
        assumeTrue(found, program + " is not installed, so this cannot be acted");
    }

    static void needProc() {
        assumeTrue(new OwnDescriptors().readable(), "this system has no /proc, so this cannot be acted");
    }

    /** A process that holds the file open for reading and does nothing else. */
    long hold(Path file) throws IOException {
        // The shell opens it, since this process must never open a file whose locks matter.
        Process process = start("sh", "-c", "exec sleep 300 < \"$1\"", "sh", file.toString());
        await().until(() -> process.info().command().orElse("").endsWith("sleep"));
        return process.pid();
    }

    /** A SQLite shell that stays open; it has done what the statements say when this returns. */
    long sqlite(Path file, String statements) throws IOException {
        need("sqlite3");
        Path done = file.resolveSibling("done-" + processes.size());
        Process process = start("sqlite3", file.toString());
        Writer to = process.outputWriter(StandardCharsets.UTF_8);
        to.write(statements + "\n.shell touch '" + done + "'\n");
        to.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(done));
        return process.pid();
    }

    /** Writes an executable script. A child does it, so that no fork of this process can hold it open for writing. */
    static Path script(Path file, String text) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "printf '%s' \"$2\" > \"$1\" && chmod +x \"$1\"", "sh", file.toString(), text)
                .start()
                .waitFor();
        return file;
    }

    private Process start(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        processes.add(process);
        return process;
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }
}
