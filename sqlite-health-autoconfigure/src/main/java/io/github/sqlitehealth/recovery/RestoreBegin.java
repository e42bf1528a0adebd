package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Decides whether what is asked for is done, and begins with it. Nothing is changed on disk before that is decided. */
final class RestoreBegin {

    private final RestoreRequest request;
    private final Path main;
    private final Acts acts;
    private final Timepiece time;

    RestoreBegin(RestoreRequest request, Acts acts, Timepiece time) {
        this.request = request;
        this.main = RealPath.of(request.database());
        this.acts = acts;
        this.time = time;
    }

    RestoreReport run() throws RestoreRefusedException {
        Instant began = time.clock().instant();
        refuseUnlessInOrder();
        Optional<Remembered> memory = recall();
        DatabaseUsers users = DatabaseUsers.of(main);
        PresentDatabase present = new Examination(
                        main, !users.any(), request.demands().rules(), memory, time)
                .ask(Check.FULL, request.checkLimit());
        String identity = RestoreSource.identity(request.from());
        RestorePlan plan = RestorePlan.of(request, main, present, identity, began);
        RestoreReports reports = new RestoreReports(request.forensics());
        Optional<RestoreReport> before =
                request.again() ? Optional.empty() : reports.honoured(request.asked(), request.force(), main, identity);
        if (present.state() == State.HEALTHY && (!request.force() || before.isPresent())) {
            return nothing(plan, Outcome.HEALTHY, fresh() ? "nothing is moved aside" : "nothing is restored");
        }
        if (before.isPresent()) {
            String again = request.asked() + " was honoured at " + before.get().ended() + " and is not done twice: "
                    + reports.again(main, request.asked());
            return nothing(plan, Outcome.HONOURED_BEFORE, again);
        }
        users.refuse(main);
        if (present.state() == State.UNKNOWN && !request.force()) {
            throw new RestoreRefusedException(
                    plan.was() + "; let sqlite3 open it once to see what is wrong, or force it");
        }
        if (request.from() != null) {
            CopyFacts copy = new RestoreSource(time).validate(request, request.from(), main, present, memory);
            plan = plan.copying(copy.sha256());
        }
        return proceed(plan, users);
    }

    private boolean fresh() {
        return request.from() == null;
    }

    private void refuseUnlessInOrder() throws RestoreRefusedException {
        if (Files.isDirectory(main)) {
            throw new RestoreRefusedException(main + " " + PresentDatabase.DIRECTORY);
        }
        if (!Files.isDirectory(main.resolveSibling("."))) {
            throw new RestoreRefusedException(
                    "the directory of " + main + " does not exist: check whether a volume is missing");
        }
        Path journal = RestoreJournal.beside(main);
        if (Files.exists(journal)) {
            throw new RestoreRefusedException(
                    "a restore of " + main + " is going on or was interrupted: finish that first (" + journal + ")");
        }
    }

    private Optional<Remembered> recall() {
        ForensicsDirectory directory = new ForensicsDirectory(request.forensics());
        try (Memory memory = new Memory(directory, main, time.clock())) {
            return memory.recall();
        }
    }

    @SuppressWarnings("try") // the lock is there to be held
    private RestoreReport proceed(RestorePlan decided, DatabaseUsers users) throws RestoreRefusedException {
        try (SqliteLock lock = RestoreRun.lockIfThere(main)) {
            RestorePlan plan = decided.movingWhatIsThere();
            if (request.dryRun()) {
                return nothing(
                        plan,
                        Outcome.WOULD_BE_DONE,
                        Counted.of(plan.moves().size(), "file") + " would be moved aside, and "
                                + (plan.from() == null ? "nothing put in their place" : plan.from() + " restored"));
            }
            List<String> notes = users.unseen().isEmpty()
                    ? List.of()
                    : List.of("not all processes could be asked whether they hold it: " + users.unseen());
            return begin(RestoreProgress.begin(plan, notes));
        } catch (IOException ex) {
            throw new RestoreRefusedException("no restore can begin beside " + main + ": " + ex);
        }
    }

    private RestoreReport begin(RestoreProgress first) throws IOException, RestoreRefusedException {
        try (RestoreJournal journal = RestoreJournal.begin(main, acts)) {
            try {
                acts.record(journal, first);
            } catch (IOException ex) {
                acts.delete(journal.file());
                throw ex;
            }
            return new RestoreRun(journal, acts, time, false).from(first);
        }
    }

    private RestoreReport nothing(RestorePlan plan, Outcome outcome, String text) {
        return RestoreProgress.begin(plan, List.of())
                .report(outcome, plan.was() + "; " + text, false, time.clock().instant());
    }
}
