package io.github.sqlitehealth.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** One shell in which commands are typed one after the other; it remembers variables and functions. */
final class Terminal implements AutoCloseable {

    private static final String END = "-- end of output --";

    private final Process shell;
    private final Writer input;
    private final BufferedReader output;

    Terminal(Path folder) throws IOException {
        shell = new ProcessBuilder("bash")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        input = shell.outputWriter(UTF_8);
        output = shell.inputReader(UTF_8);
    }

    /** A test on a machine without a program is skipped. */
    void need(String... programs) throws IOException {
        for (String program : programs) {
            if (run("command -v " + program + "\n").isEmpty()) {
                throw new TestAbortedException(program + " is not installed");
            }
        }
    }

    /** What the commands print. */
    String run(String commands) throws IOException {
        input.write(commands + "echo '" + END + "'\n");
        input.flush();
        StringBuilder printed = new StringBuilder();
        for (String line = output.readLine(); !END.equals(line); line = output.readLine()) {
            if (line == null) {
                throw new AssertionError("The shell has ended after " + printed);
            }
            printed.append(line).append('\n');
        }
        return printed.toString();
    }

    /** Without input the shell ends by itself; if it still runs a command, it is not waited for. */
    @Override
    public void close() throws IOException {
        input.close();
        shell.destroy();
    }
}
