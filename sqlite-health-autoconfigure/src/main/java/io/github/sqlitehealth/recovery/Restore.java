package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Puts a verified copy in the place of a database that is damaged, emptied or missing, or makes room for a new one. Only
 * while nobody has the database open, this process included. Whatever happens in between, the original is never lost.
 */
public final class Restore {

    private final Timepiece time;
    private final Acts acts;

    /** @param told hears of each act before it is done */
    Restore(Timepiece time, Consumer<String> told) {
        this.time = time;
        this.acts = new Acts(told);
    }

    /**
     * Does what is asked for, if there is need.
     *
     * @throws RestoreRefusedException when it cannot be done safely; nothing has been changed on disk
     */
    public static RestoreReport run(RestoreRequest request) throws RestoreRefusedException {
        return new Restore(Timepiece.system(), act -> {}).begin(request);
    }

    /**
     * Finishes or undoes what was interrupted by the end of a process or of the machine. To be called before anything
     * else is done to the database.
     *
     * @return empty when nothing was interrupted
     * @throws RestoreRefusedException when somebody is at it or uses the database; nothing has been changed on disk
     */
    public static Optional<RestoreReport> finishInterrupted(Path database) throws RestoreRefusedException {
        return new Restore(Timepiece.system(), act -> {}).finish(database);
    }

    RestoreReport begin(RestoreRequest request) throws RestoreRefusedException {
        return new RestoreBegin(request, acts, time).run();
    }

    Optional<RestoreReport> finish(Path database) throws RestoreRefusedException {
        Path main = RealPath.of(database);
        try (RestoreJournal journal = RestoreJournal.resume(main)) {
            if (journal == null) {
                return Optional.empty();
            }
            Optional<RestoreProgress> last = journal.last();
            if (last.isEmpty()) {
                acts.delete(journal.file());
                return Optional.empty();
            }
            return Optional.of(goOn(last.get(), journal, main));
        } catch (IOException ex) {
            throw new RestoreRefusedException("the interrupted restore of " + main + " cannot go on: " + ex);
        }
    }

    @SuppressWarnings("try") // the lock is there to be held
    private RestoreReport goOn(RestoreProgress last, RestoreJournal journal, Path main) throws RestoreRefusedException {
        Path archived = last.plan().archivedMain();
        Path original = archived != null && Files.exists(archived) ? archived : main;
        DatabaseUsers.of(main).refuse(main);
        if (!original.equals(main)) {
            DatabaseUsers.of(original).refuse(original);
        }
        try (SqliteLock lock = RestoreRun.lockIfThere(original)) {
            return new RestoreRun(journal, acts, time, true).from(last);
        }
    }
}
