package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tour of the README, typed exactly as it is printed there; what it prints is what the README says. */
class TourIT {

    @TempDir
    Path folder;

    private RunningGateway gateway;

    @AfterEach
    void end() {
        gateway.close();
    }

    @Test
    void theTourOfTheReadmeTellsTheTruth() throws IOException, InterruptedException {
        List<Tour.Step> rescue = Tour.section("#### STRANDED");
        gateway = RunningGateway.start(folder, "data/gateway.db");
        gateway.awaitHealthy();
        try (Terminal terminal = new Terminal(folder)) {
            terminal.need("curl", "jq", "sqlite3");
            for (Tour.Step step : Tour.section("## The two-minute tour")) {
                if (step.startsTheApplication()) {
                    restart();
                } else {
                    if (step.commands().contains("mv backup.db")) {
                        // "Stop it, put the backup in place": under a running process that would be a swap.
                        gateway.terminate();
                    }
                    type(step, terminal);
                }
                if (step.commands().startsWith("db=")) {
                    assertThat(type(rescue.get(0), terminal)).isEqualTo("ok\n0|0|0\n");
                    type(rescue.get(1), terminal);
                }
            }
        }
    }

    /** As Ctrl-C does, unless it has been killed; what is typed in the terminal stays true. */
    private void restart() throws InterruptedException {
        gateway.terminate();
        gateway = RunningGateway.start(folder, "data/gateway.db", "--server.port=" + gateway.port());
    }

    private String type(Tour.Step step, Terminal terminal) throws IOException {
        String printed = terminal.run(step.commands().replace("localhost:8080", "localhost:" + gateway.port()));
        if (!step.output().isEmpty()) {
            assertThat(withoutNumbers(printed)).as(step.commands()).isEqualTo(withoutNumbers(step.output()));
        }
        return printed;
    }

    /** Inodes differ from one run to the next; other numbers may stand as they are. */
    private static String withoutNumbers(String text) {
        return text.replaceAll("inode( |\":)\\d+", "inode$1…");
    }
}
