package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What people do from outside: a shell command, and a {@code sqlite3} session that stays open. */
final class OutsideShell implements AutoCloseable {

    private final Process process;
    private final Writer to;
    private final Path done;

    /** A session that has done what the statements say when this returns. */
    OutsideShell(Path database, String statements) throws IOException {
        need("sqlite3");
        process = new ProcessBuilder("sqlite3", database.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        to = process.outputWriter(StandardCharsets.UTF_8);
        done = Files.createTempDirectory("session").resolve("done");
        say(statements);
    }

    void say(String statements) throws IOException {
        Files.deleteIfExists(done);
        to.write(statements + "\n.shell touch '" + done + "'\n");
        to.flush();
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(done));
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        kill();
    }

    /** {@code kill -9}: it can neither checkpoint nor unlink. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    static void run(String... command) throws IOException, InterruptedException {
        assertThat(code(command)).as(String.join(" ", command)).isZero();
    }

    static int code(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    static void need(String program) {
        boolean found = List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
        assumeTrue(found, program + " is not installed, so this cannot be acted");
    }
}
