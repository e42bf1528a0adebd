package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.CommandLine.Wrong;
import io.github.sqlitehealth.recovery.CopyFacts;
import io.github.sqlitehealth.recovery.Counted;
import io.github.sqlitehealth.recovery.ProcessRescue;
import io.github.sqlitehealth.recovery.ProcessRescueReport;
import io.github.sqlitehealth.recovery.ProcessRescueReport.Copy;
import io.github.sqlitehealth.recovery.ProcessRescueRequest;
import io.github.sqlitehealth.recovery.RescueRefusedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that copies a database out of a process. */
final class CommandRescue {

    private CommandRescue() {}

    static CommandResult run(CommandLine line) throws Wrong, RescueRefusedException {
        boolean dry = line.has("dry-run");
        ProcessRescueReport report = ProcessRescue.run(new ProcessRescueRequest(
                line.pid(),
                line.path("database"),
                Path.of(line.text("to")).toAbsolutePath(),
                line.has("force"),
                dry,
                CommandPlaces.LIMIT));
        List<String> lines = new ArrayList<>();
        for (Copy copy : report.copies()) {
            lines.add(copy.file() + (dry ? " would be a copy of " : " is a copy of ") + copy.of() + told(copy));
        }
        if (report.standstill() != null) {
            lines.add("process " + report.pid() + " (" + report.command() + ") stood still for "
                    + report.standstill().toMillis() + " ms and goes on");
        }
        lines.addAll(report.notes());
        return new CommandResult(report.sound() ? CommandResult.OK : CommandResult.NOT_OK, lines, report);
    }

    private static String told(Copy copy) {
        CopyFacts facts = copy.facts();
        if (facts != null) {
            return ": " + facts.contents() + ", " + Counted.of(copy.frames(), "page") + " from -wal, check "
                    + facts.check();
        }
        return copy.refused() == null ? "" : ", and NOT SOUND: " + copy.refused();
    }
}
