package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.CommandLine.Wrong;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupFailedException;
import io.github.sqlitehealth.recovery.BackupRequest;
import io.github.sqlitehealth.recovery.Backups;
import io.github.sqlitehealth.recovery.CopyFacts;
import io.github.sqlitehealth.recovery.DatabaseStatus;
import io.github.sqlitehealth.recovery.Restore;
import io.github.sqlitehealth.recovery.RestoreDemands;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import io.github.sqlitehealth.recovery.RestoreReport;
import io.github.sqlitehealth.recovery.RestoreRequest;
import io.github.sqlitehealth.recovery.StatusReader;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The commands that copy a database, or put another in its place. */
final class CommandActs {

    private static final String LATEST = "latest";

    /** As {@code sqlite.health.recovery.keep-archives} is by default. */
    private static final int KEPT_ARCHIVES = 5;

    /** A third of the time that the driver lets a writer wait unless it is told otherwise. */
    private static final Duration BEARABLE = Duration.ofSeconds(1);

    private final CommandLine line;
    private final CommandPlaces places;

    CommandActs(CommandLine line) throws Wrong {
        this.line = line;
        this.places = CommandPlaces.of(line);
    }

    /** How many are kept is for the application to decide: this one takes no other away. */
    CommandResult backup() throws BackupFailedException, RestoreRefusedException, IOException {
        DatabaseStatus status =
                new StatusReader(places.main(), places.forensics(), places.name(), places.backups()).read();
        Backup backup = new Backups(Timepiece.system())
                .take(new BackupRequest(
                        places.name(),
                        places.main(),
                        places.backups(),
                        places.shared(),
                        Integer.MAX_VALUE,
                        BEARABLE,
                        CommandPlaces.LIMIT,
                        () -> objection(status),
                        () -> false));
        CopyFacts facts = backup.facts();
        String rows = facts == null ? "" : ": " + facts.contents() + ", check " + facts.check();
        return new CommandResult(
                CommandResult.OK,
                List.of(backup.file() + rows),
                facts == null ? Map.of() : Map.of("file", backup.file().toString(), "facts", facts));
    }

    /** Damage is for the check of the copy to find: perhaps it has been healed since. */
    private static @Nullable String objection(DatabaseStatus status) {
        boolean copyTells = status.verdict() == Verdict.DAMAGED || status.verdict() == Verdict.UNREADABLE;
        return status.sound() || copyTells ? null : status.text();
    }

    CommandResult restore() throws RestoreRefusedException, IOException {
        if (line.action() == CommandAction.START_FRESH && !places.known()) {
            throw new RestoreRefusedException(
                    places.main() + " does not exist and nothing is known of it: there is nothing"
                            + " to move aside, and the application creates a new one by itself");
        }
        List<RestoreReport> reports = new ArrayList<>();
        if (!line.has("dry-run")) {
            Restore.finishInterrupted(places.main()).ifPresent(reports::add);
        }
        if (reports.stream().allMatch(CommandActs::well)) {
            reports.add(Restore.run(request()));
        }
        List<String> lines = new ArrayList<>();
        for (RestoreReport report : reports) {
            lines.add(report.text());
            lines.addAll(report.notes());
        }
        RestoreReport last = reports.get(reports.size() - 1);
        return new CommandResult(well(last) ? CommandResult.OK : CommandResult.NOT_OK, lines, last);
    }

    private static boolean well(RestoreReport report) {
        return switch (report.outcome()) {
            case RESTORED, STARTED_FRESH, HEALTHY, HONOURED_BEFORE, WOULD_BE_DONE -> true;
            case UNDONE, LEFT_ALONE, STUCK -> false;
        };
    }

    private RestoreRequest request() throws RestoreRefusedException {
        Optional<Backup> latest = places.backups().latestVerified();
        boolean fresh = line.action() == CommandAction.START_FRESH;
        Path from = fresh ? null : from(latest);
        return new RestoreRequest(
                places.main(),
                places.forensics(),
                from,
                fresh ? RestoreRequest.START_FRESH : line.text("from"),
                line.has("force"),
                true,
                line.has("dry-run"),
                KEPT_ARCHIVES,
                new RestoreDemands(
                        ContentRules.NONE,
                        null,
                        latest.map(Backup::facts).map(CopyFacts::applicationId).orElse(null)),
                CommandPlaces.LIMIT);
    }

    private @Nullable Path from(Optional<Backup> latest) throws RestoreRefusedException {
        if (!line.text("from").equals(LATEST)) {
            Path copy = Path.of(line.text("from")).toAbsolutePath();
            if (!Files.exists(copy)) {
                // Also where there is no need of it: whoever has mistyped a name now will do so when there is.
                throw new RestoreRefusedException(copy + " does not exist; nothing is restored from it");
            }
            return copy;
        }
        if (latest.isEmpty()) {
            throw new RestoreRefusedException("there is no verified backup of the name " + places.name() + " in "
                    + places.backups().path() + ": name its directory with --backups, or its --name, or a copy with"
                    + " --from");
        }
        return latest.get().file();
    }
}
