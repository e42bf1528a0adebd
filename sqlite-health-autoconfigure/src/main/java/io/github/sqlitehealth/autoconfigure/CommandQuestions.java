package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.CommandLine.Wrong;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.recovery.Counted;
import io.github.sqlitehealth.recovery.DatabaseCheck;
import io.github.sqlitehealth.recovery.DatabaseStatus;
import io.github.sqlitehealth.recovery.DatabaseStatus.BackupStatus;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.recovery.StatusReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The commands that only ask. */
final class CommandQuestions {

    private final CommandPlaces places;

    CommandQuestions(CommandLine line) throws Wrong {
        this.places = CommandPlaces.of(line);
    }

    CommandResult check() throws RestoreRefusedException {
        DatabaseCheck check = DatabaseCheck.of(places.main(), places.forensics(), CommandPlaces.LIMIT);
        List<String> lines = new ArrayList<>(List.of(check.text()));
        lines.addAll(check.notes());
        int code = check.state() == State.UNKNOWN
                ? CommandResult.NOT_ASKED
                : check.state() == State.HEALTHY && check.stranded().isEmpty()
                        ? CommandResult.OK
                        : CommandResult.NOT_OK;
        return new CommandResult(code, lines, check);
    }

    CommandResult status() throws IOException, RestoreRefusedException {
        DatabaseStatus status =
                new StatusReader(places.main(), places.forensics(), places.name(), places.backups()).read();
        return new CommandResult(status.sound() ? CommandResult.OK : CommandResult.NOT_OK, lines(status), status);
    }

    private static List<String> lines(DatabaseStatus status) {
        List<String> lines = new ArrayList<>(List.of(status.text()));
        status.files()
                .forEach((name, file) -> lines.add(line(name, file.bytes() + " bytes, changed at " + file.modified())));
        if (status.incident() != null) {
            lines.add(line(
                    "incident",
                    "open since " + status.incident().since() + ": "
                            + String.join(", ", status.incident().verdicts())));
        }
        if (status.content() != null) {
            lines.add(line(
                    "content",
                    status.content().pages() + " pages when last seen, rows in "
                            + String.join(", ", status.content().filled())));
        }
        for (Holder holder : status.holders()) {
            boolean stale = holder.descriptors().stream().anyMatch(file -> file.stale());
            lines.add(line(
                    "held by",
                    "process " + holder.pid() + " (" + holder.command() + ")"
                            + (stale ? ", which holds files that are no longer at the place: see rescue" : "")));
        }
        if (!status.unseen().isEmpty()) {
            lines.add(line("held by", "perhaps others: " + status.unseen()));
        }
        if (status.backups().isEmpty()) {
            lines.add(line("backups", "none of the name " + status.name() + " in " + status.backupDirectory()));
        }
        status.backups().forEach(backup -> lines.add(line("backup", backup.file() + told(backup))));
        status.rescued().forEach(file -> lines.add(line("rescued", file)));
        status.archives()
                .forEach(archive ->
                        lines.add(line("archive", archive.files().get(0) + ", " + archive.bytes() + " bytes")));
        lines.add(line("restore", status.restore()));
        return lines;
    }

    private static String told(BackupStatus backup) {
        Long rows = backup.rows();
        String contents = rows == null ? "" : ", " + Counted.of(rows, "row");
        return backup.verified() ? ", verified" + contents : ", not verified: " + backup.why();
    }

    private static String line(String what, String text) {
        return String.format("  %-9s %s", what, text);
    }
}
