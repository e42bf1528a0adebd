package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.recovery.RestorePlan.Move;
import io.github.sqlitehealth.recovery.RestoreProgress.Stage;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The acts of one restore, stage by stage. Each can be done again after it was interrupted at any point: what counts is
 * what is on the disk. The copy is made before the original is moved, so that there is no database for the time of a few
 * renames only.
 */
final class RestoreStages {

    private final RestorePlan plan;
    private final RestoreJournal journal;
    private final Acts acts;
    private final Timepiece time;
    private final boolean resumed;
    private RestoreProgress progress;

    RestoreStages(RestoreProgress progress, RestoreJournal journal, Acts acts, Timepiece time, boolean resumed) {
        this.plan = progress.plan();
        this.progress = progress;
        this.journal = journal;
        this.acts = acts;
        this.time = time;
        this.resumed = resumed;
    }

    /** Goes on from its stage until it is certain what it has come to. */
    RestoreProgress run() throws IOException {
        try {
            forwardAsFarAsPossible();
            if (progress.stage() == Stage.UNDOING) {
                new RestoreUndo(progress, acts).run();
                say(progress.ending(Outcome.UNDONE, null));
            }
        } catch (OccupiedException ex) {
            say(progress.noting(String.valueOf(ex.getMessage())).ending(Outcome.LEFT_ALONE, null));
        }
        return progress;
    }

    private void forwardAsFarAsPossible() throws IOException, OccupiedException {
        try {
            if (resumed && progress.stage() == Stage.COPYING) {
                say(progress.undoing("it was interrupted while the copy was being made"));
            }
            while (progress.stage() != Stage.UNDOING && progress.stage() != Stage.CLEARING) {
                forward();
            }
        } catch (CopyRefusedException ex) {
            say(progress.undoing(String.valueOf(ex.getMessage())));
        } catch (IOException ex) {
            say(progress.undoing(ex.toString()));
        }
    }

    private void forward() throws IOException, CopyRefusedException, OccupiedException {
        switch (progress.stage()) {
            case COPYING -> {
                copy();
                to(progress.at(Stage.MOVING));
            }
            case MOVING -> {
                for (Move move : plan.moves()) {
                    acts.move(move.source(), move.target());
                }
                refuseOriginalInPlace();
                to(plan.from() == null ? progress.ending(Outcome.STARTED_FRESH, null) : progress.at(Stage.INSTALLING));
            }
            case INSTALLING -> {
                install();
                to(progress.at(Stage.VERIFYING));
            }
            default -> say(progress.ending(Outcome.RESTORED, verify()));
        }
    }

    private void to(RestoreProgress next) throws IOException {
        acts.record(journal, next);
        progress = next;
    }

    /** Where a full disk takes no line, whoever comes after an interruption finds the same from what is on the disk. */
    private void say(RestoreProgress next) {
        try {
            to(next);
        } catch (IOException ex) {
            progress = next.noting("the journal takes no more: " + ex);
        }
    }

    private void copy() throws IOException {
        if (plan.from() == null) {
            return;
        }
        Path from = Path.of(plan.from());
        acts.copy(from, plan.temporary());
        String failed = acts.likeness(plan.temporary(), Files.exists(plan.main()) ? plan.main() : from);
        if (!failed.isEmpty()) {
            progress = progress.noting(failed);
        }
        refuseOther(plan.temporary());
    }

    private void refuseOther(Path copy) throws IOException {
        if (!DurableFiles.sha256(copy).equals(plan.sha256())) {
            throw new IOException(copy + " is not what was checked");
        }
    }

    private void install() throws IOException, OccupiedException {
        if (!Files.exists(plan.temporary())) {
            if (!Files.exists(plan.main())) {
                throw new IOException(plan.temporary() + " is gone");
            }
            return;
        }
        if (resumed) {
            refuseOther(plan.temporary());
        }
        for (String suffix : DatabaseFiles.SIDECARS) {
            Path sidecar = DatabaseFiles.beside(plan.main(), suffix);
            if (Files.exists(sidecar)) {
                throw new OccupiedException("somebody has put another " + sidecar + " in its place meanwhile");
            }
        }
        acts.move(plan.temporary(), plan.main());
    }

    private CopyFacts verify() throws IOException, CopyRefusedException, OccupiedException {
        refuseOriginalInPlace();
        if (!DatabaseFiles.wholeByItself(plan.main())) {
            throw new OccupiedException(plan.main() + " has been used since it was installed");
        }
        refuseUsedOriginal();
        acts.other("check what is installed");
        CopyFacts facts = new RestoreSource(time).inspect(plan.main(), plan.rules(), plan.checkLimit());
        if (!resumed && !facts.sha256().equals(plan.sha256())) {
            throw new IOException(plan.main() + " is not what was copied");
        }
        return facts;
    }

    private void refuseOriginalInPlace() throws IOException {
        Path archived = plan.archivedMain();
        if (archived != null && !Files.exists(archived)) {
            throw new IOException("the original is not at " + archived);
        }
    }

    /** Whoever opened the original just before it was moved would go on writing into it. */
    private void refuseUsedOriginal() throws IOException {
        Path archived = plan.archivedMain();
        try {
            DatabaseUsers users = archived == null ? DatabaseUsers.NONE : DatabaseUsers.of(archived);
            if (!users.others().isEmpty()) {
                throw new IOException("the database was opened meanwhile by " + users.named());
            }
        } catch (RestoreRefusedException ex) {
            throw new IOException(ex.getMessage(), ex);
        }
    }
}
