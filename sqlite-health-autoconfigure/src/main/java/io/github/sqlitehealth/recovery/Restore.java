package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Puts a verified copy in the place of a database that is damaged, emptied or missing, or makes room for a new one. Only
 * while nobody has the database open, this process included. Whatever happens in between, the original is never lost.
 */
public final class Restore {

    private Restore() {}

    /**
     * Does what is asked for, if there is need.
     *
     * @throws RestoreRefusedException when it cannot be done safely; nothing has been changed on disk
     */
    public static RestoreReport run(RestoreRequest request) throws RestoreRefusedException {
        throw new RestoreRefusedException("not yet");
    }

    /**
     * Finishes or undoes what was interrupted by the end of a process or of the machine. To be called before anything
     * else is done to the database.
     *
     * @return empty when nothing was interrupted
     * @throws RestoreRefusedException when somebody is at it or uses the database; nothing has been changed on disk
     */
    public static Optional<RestoreReport> finishInterrupted(Path database) throws RestoreRefusedException {
        return Optional.empty();
    }
}
