package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The drill of the README, typed exactly as it is printed there; what it prints is what the README says. */
class DrillIT {

    private static final String JAR = "sample-app/target/sample-app.jar";

    @TempDir
    Path folder;

    private RunningGateway gateway;

    @AfterEach
    void end() {
        gateway.close();
    }

    @Test
    void theDrillOfTheReadmeTellsTheTruth() throws IOException, InterruptedException {
        gateway = RunningGateway.start(folder, "data/gateway.db");
        gateway.awaitHealthy();
        try (Terminal terminal = new Terminal(folder)) {
            terminal.need("curl", "jq", "sqlite3");
            for (Tour.Step step : Tour.section("### The drill")) {
                if (step.startsTheApplication()) {
                    restart(step);
                } else {
                    if (step.commands().startsWith("# The application is stopped.")) {
                        gateway.terminate();
                    }
                    type(step, terminal);
                }
            }
        }
    }

    /** As Ctrl-C does, and the command with all its options. */
    private void restart(Tour.Step step) throws InterruptedException {
        gateway.terminate();
        String[] words = step.commands().strip().split(" ");
        String[] options = Arrays.copyOfRange(words, Arrays.asList(words).indexOf(JAR) + 1, words.length + 1);
        options[options.length - 1] = "--server.port=" + gateway.port();
        gateway = RunningGateway.start(folder, "data/gateway.db", options);
    }

    private void type(Tour.Step step, Terminal terminal) throws IOException {
        String printed = terminal.run(step.commands()
                .replace("localhost:8080", "localhost:" + gateway.port())
                .replace(JAR, RunningGateway.JAR.toString()));
        assertThat(withoutPlaceAndTime(printed)).as(step.commands()).isEqualTo(withoutPlaceAndTime(step.output()));
    }

    /** Where it is tried, when, and whether this machine shows all its processes differs from one run to the next. */
    private static String withoutPlaceAndTime(String text) {
        return text.replaceAll("(?m)^not all processes .*\n", "")
                // Of the JVM, from 24 on, about the native library of the driver.
                .replaceAll("(?m)^WARNING: .*\n", "")
                .replaceAll("/[^ \n]*/data/", "/…/data/")
                .replaceAll("\\d{8}T\\d{6}\\.\\d{3}Z", "…");
    }
}
