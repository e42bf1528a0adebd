package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.RestoreReport;
import io.github.sqlitehealth.recovery.RestoreReports;
import io.github.sqlitehealth.recovery.RestoreRequest;
import io.github.sqlitehealth.recovery.StartCheck.Trouble;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why an application does not start on a database, and the way out.
 *
 * @param name of its DataSource
 * @param before why what is configured is not done again; absent when it has not been done before
 */
record StartRefusal(
        String name,
        Path file,
        BackupDirectory backups,
        @Nullable RestoreReport before) {

    private static final String PREFIX = "sqlite.health.";

    private static final String INSPITE = "To start in spite of it, set " + PREFIX + "startup.fail-fast=false.";

    /** What is said of the trouble.
     *
     * @param evidence where it is, if there is any
     */
    DatabaseRefusedException of(Trouble trouble, Path evidence) {
        StringBuilder description = new StringBuilder();
        description
                .append("The database of the DataSource \"")
                .append(name)
                .append("\" is ")
                .append(trouble.verdict())
                .append(", and ")
                .append(PREFIX)
                .append("startup.fail-fast is true.\n\n");
        line(description, "File", file.toString());
        line(description, "What", trouble.text());
        line(description, "Since", since(trouble));
        if (Files.isDirectory(evidence)) {
            line(description, "Evidence", evidence.toString());
        }
        Optional<Backup> latest = listed(description);
        return new DatabaseRefusedException(
                description.toString().stripTrailing(),
                "Nothing has been changed. " + action(trouble.verdict(), latest, new RestoreReports(evidence)));
    }

    private static String since(Trouble trouble) {
        if (!trouble.known()) {
            return "found at this start";
        }
        return (trouble.since() == null ? "an unknown time" : trouble.since()) + " (an earlier run)";
    }

    private Optional<Backup> listed(StringBuilder description) {
        List<Backup> all;
        try {
            all = backups.list();
        } catch (UncheckedIOException ex) {
            line(description, "Backups", String.valueOf(ex.getMessage()));
            return Optional.empty();
        }
        Optional<Backup> latest = all.stream().filter(Backup::verified).findFirst();
        String newest = latest.map(backup -> ", the newest verified one is " + backup.name())
                .orElse(", none of them verified");
        line(
                description,
                "Backups",
                all.isEmpty() ? "none in " + backups.path() : all.size() + " in " + backups.path() + newest);
        return latest;
    }

    private String action(Verdict verdict, Optional<Backup> latest, RestoreReports reports) {
        if (verdict == Verdict.UNREADABLE) {
            return "Check disk, mount and permissions, and start again.";
        }
        if (before != null) {
            return "What " + PREFIX + "recovery.* asks for has been done before: " + before.text() + ". " + INSPITE;
        }
        List<String> ways = new ArrayList<>();
        latest.ifPresent(backup -> reports.way(file, "latest", backup.file())
                .ifPresent(way -> ways.add(way + " to restore " + backup.name())));
        ways.add(PREFIX + "recovery.restore-from=<file> to restore "
                + (ways.isEmpty() ? "a copy of your own" : "another copy"));
        reports.way(file, RestoreRequest.START_FRESH, null)
                .ifPresent(way -> ways.add(way + " to begin with a new database"));
        String last = ways.size() == 1 ? "" : ", or " + ways.remove(ways.size() - 1);
        return "For one start, set " + String.join(", ", ways) + last
                + "; the present file is moved aside, not deleted. The commands restore and start-fresh do the same, as"
                + " often as they are typed. " + INSPITE;
    }

    private static void line(StringBuilder description, String what, String text) {
        description
                .append("    ")
                .append(String.format("%-9s", what))
                .append(text)
                .append('\n');
    }
}
