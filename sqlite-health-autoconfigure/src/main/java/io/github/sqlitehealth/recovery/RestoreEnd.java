package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Json;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is left to do when it is certain what a restore has come to. All of it may be done again. */
final class RestoreEnd {

    private final RestorePlan plan;
    private final Acts acts;
    private final Timepiece time;
    private RestoreProgress progress;

    RestoreEnd(RestoreProgress progress, Acts acts, Timepiece time) {
        this.progress = progress;
        this.plan = progress.plan();
        this.acts = acts;
        this.time = time;
    }

    RestoreReport clear(RestoreJournal journal, boolean resumed) throws IOException {
        acts.delete(plan.temporary());
        if (progress.outcome() == Outcome.RESTORED || progress.outcome() == Outcome.STARTED_FRESH) {
            clearMarker();
            settle();
            retain();
        }
        RestoreReport report = report(resumed);
        try {
            acts.other("write the report");
            new ForensicsDirectory(Path.of(plan.forensics()))
                    .write(RestoreReports.name(plan.time()), Json.write(report));
        } catch (IOException ex) {
            progress = progress.noting("no report could be written: " + ex);
            report = report(resumed);
        }
        acts.delete(journal.file());
        return report;
    }

    private void clearMarker() {
        if (CorruptMarker.exists(plan.main())) {
            acts.other("delete " + CorruptMarker.beside(plan.main()).getFileName());
            CorruptMarker.clear(
                    plan.main(),
                    progress.outcome() == Outcome.RESTORED
                            ? "has been restored and a full check has passed"
                            : plan.archivedMain() == null ? "is gone" : "has been moved aside");
        }
    }

    /**
     * What was in the database that is gone is no measure for what has been put in its place on purpose, and what was
     * wrong with its files is over. What has been installed is a measure at once: it may be gone at the first start.
     */
    private void settle() {
        ForensicsDirectory directory = new ForensicsDirectory(Path.of(plan.forensics()));
        try (Memory memory = new Memory(directory, plan.main(), time.clock())) {
            Content holds = installed();
            Remembered known = memory.recall().orElse(null);
            if (known == null && holds == null) {
                return;
            }
            Remembered before = known == null ? Remembered.nothing(plan.main().toString()) : known;
            Remembered settled = before.ofAnotherFile(holds, time.clock().instant());
            if (!settled.equals(known)) {
                acts.other("settle what was known of it");
                memory.keep(settled);
            }
        }
    }

    private @Nullable Content installed() {
        // After an interruption somebody may use it already; then the monitor finds out by itself.
        if (progress.outcome() != Outcome.RESTORED || !DatabaseFiles.wholeByItself(plan.main())) {
            return null;
        }
        ContentWitness witness = ContentWitness.ofUnused(plan.main(), plan.rules(), Optional.empty(), time);
        witness.ask();
        return witness.remembered().orElse(null);
    }

    private void retain() {
        try {
            for (Archives.Archive old : new Archives(plan.main()).beyond(plan.keepArchives(), plan.time())) {
                for (Path file : old.files()) {
                    if (!file.toString().equals(plan.from())) {
                        acts.delete(file);
                    }
                }
            }
        } catch (IOException ex) {
            progress = progress.noting("older archives could not be removed: " + ex);
        }
    }

    private RestoreReport report(boolean resumed) {
        Outcome outcome = Objects.requireNonNull(progress.outcome(), "outcome");
        return progress.report(outcome, text(outcome), resumed, time.clock().instant());
    }

    private String text(Outcome outcome) {
        Path original = plan.archivedMain();
        String kept = original == null || !Files.exists(original) ? "" : "; the original is kept as " + original;
        return switch (outcome) {
            case RESTORED -> plan.was() + ", and has been restored from " + plan.from() + contents() + kept;
            case STARTED_FRESH ->
                plan.was() + (original == null ? "" : ", and has been moved aside") + "; a new one can be created"
                        + kept;
            case UNDONE ->
                plan.was() + ", and still is: " + plan.asked() + " has been undone, since " + progress.undone();
            default ->
                plan.was() + ", and " + plan.asked() + " has been given up: " + String.join("; ", progress.notes())
                        + "; all is left as it is" + kept;
        };
    }

    private String contents() {
        CopyFacts installed = progress.installed();
        return installed == null ? "" : ", with " + installed.contents();
    }
}
