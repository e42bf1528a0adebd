package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.recovery.RestorePlan.Move;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a restore has come: one line of the journal, written before the act that its stage stands for.
 *
 * @param stage what is about to be done
 * @param plan what is to be done in all
 * @param notes what could not be found out or done and does not matter as much
 * @param undone why it is undone, absent when it is not
 * @param reached the stage from which it is undone
 * @param installed what is true of what is installed, as soon as it is verified
 * @param outcome as soon as it is certain
 */
record RestoreProgress(
        Stage stage,
        RestorePlan plan,
        List<String> notes,
        @Nullable String undone,
        @Nullable Stage reached,
        @Nullable CopyFacts installed,
        @Nullable Outcome outcome) {

    enum Stage {
        /** The copy is made under a temporary name. */
        COPYING,
        /** The original and its sidecars get the names of an archive. */
        MOVING,
        /** The copy gets the name of the database. */
        INSTALLING,
        /** The database is checked. */
        VERIFYING,
        /** All goes back. */
        UNDOING,
        /** What is left over is removed, and the report is written. */
        CLEARING
    }

    RestoreProgress {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(plan, "plan");
        notes = List.copyOf(notes);
    }

    static RestoreProgress begin(RestorePlan plan, List<String> notes) {
        return new RestoreProgress(Stage.COPYING, plan, notes, null, null, null, null);
    }

    RestoreProgress at(Stage next) {
        return new RestoreProgress(next, plan, notes, undone, reached, installed, outcome);
    }

    RestoreProgress undoing(String why) {
        return new RestoreProgress(Stage.UNDOING, plan, notes, why, stage, null, null);
    }

    RestoreProgress ending(Outcome end, @Nullable CopyFacts facts) {
        return new RestoreProgress(Stage.CLEARING, plan, notes, undone, reached, facts, end);
    }

    RestoreProgress noting(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new RestoreProgress(stage, plan, more, undone, reached, installed, outcome);
    }

    /** What it has come to. */
    RestoreReport report(Outcome end, String text, boolean resumed, Instant ended) {
        List<String> archives = plan.moves().stream()
                .map(Move::target)
                .filter(Files::exists)
                .map(Path::toString)
                .toList();
        return new RestoreReport(
                end,
                text,
                plan.database(),
                plan.asked(),
                plan.forced(),
                plan.from(),
                plan.identity(),
                plan.state(),
                plan.condition(),
                archives,
                installed,
                resumed,
                plan.began(),
                ended,
                notes);
    }
}
