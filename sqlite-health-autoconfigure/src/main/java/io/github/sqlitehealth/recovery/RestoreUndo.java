package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.recovery.RestorePlan.Move;
import io.github.sqlitehealth.recovery.RestoreProgress.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Puts the original back into its place. May be done again after it was interrupted. */
final class RestoreUndo {

    private final RestoreProgress progress;
    private final RestorePlan plan;
    private final Acts acts;

    RestoreUndo(RestoreProgress progress, Acts acts) {
        this.progress = progress;
        this.plan = progress.plan();
        this.acts = acts;
    }

    void run() throws IOException, OccupiedException {
        if (isInstalled()) {
            removeInstalled();
        }
        List<Move> back = new ArrayList<>(plan.moves());
        Collections.reverse(back);
        for (Move move : back) {
            acts.move(move.target(), move.source());
        }
        if (plan.archivedMain() != null && !Files.exists(plan.main())) {
            throw new IOException(plan.main() + " is neither in its place nor aside");
        }
    }

    /** Whether what has the name of the database is the copy: the original is still aside, or there was none. */
    private boolean isInstalled() {
        Path archived = plan.archivedMain();
        boolean begun = progress.reached() == Stage.INSTALLING || progress.reached() == Stage.VERIFYING;
        return begun
                && Files.exists(plan.main())
                && !Files.exists(plan.temporary())
                && (archived == null || Files.exists(archived));
    }

    /** Only what is nothing but a copy may go; anything else is kept as evidence. */
    private void removeInstalled() throws IOException {
        if (DurableFiles.sha256(plan.main()).equals(plan.sha256())) {
            acts.delete(plan.main());
        } else {
            acts.rename(plan.main(), new Archives(plan.main()).aside("-failed", plan.time()));
        }
    }
}
