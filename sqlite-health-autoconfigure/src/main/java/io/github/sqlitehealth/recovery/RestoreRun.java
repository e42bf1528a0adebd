package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One restore from where it is to its end.
 *
 * @param resumed whether another process has begun it
 */
record RestoreRun(RestoreJournal journal, Acts acts, Timepiece time, boolean resumed) {

    RestoreReport from(RestoreProgress begun) {
        RestorePlan plan = begun.plan();
        try {
            RestoreProgress end = new RestoreStages(begun, journal, acts, time, resumed).run();
            return new RestoreEnd(end, acts, time).clear(journal, resumed);
        } catch (IOException ex) {
            String text = plan.was() + ", and " + plan.asked() + " is stuck: " + ex + "; the next start goes on ("
                    + journal.file() + ")";
            return begun.report(Outcome.STUCK, text, resumed, time.clock().instant());
        }
    }

    /** Held until all is done, so that nobody opens a file that is being replaced. */
    static @Nullable SqliteLock lockIfThere(Path main) throws RestoreRefusedException {
        return Files.exists(main) ? SqliteLock.take(main) : null;
    }
}
