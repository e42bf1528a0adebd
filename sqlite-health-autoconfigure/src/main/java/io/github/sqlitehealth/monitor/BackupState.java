package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the backups of one database at one moment. Immutable; to read it costs a field access.
 *
 * @param enabled whether they are taken at regular intervals
 * @param lastVerified the moment that the newest verified one shows; absent when there is none
 * @param bytes its size, 0 when there is none
 * @param why why there is none, or none that is newer; absent when nothing is wrong with the newest
 * @param failed why the last one failed; absent when it did not
 * @param failures since the start of the process
 */
public record BackupState(
        boolean enabled,
        @Nullable Moment lastVerified,
        long bytes,
        @Nullable String why,
        @Nullable String failed,
        long failures) {

    private static final String UNKNOWN = "nobody has looked yet";

    private static final BackupState OFF = new BackupState(false, null, 0, UNKNOWN, null, 0);

    static BackupState of(boolean enabled) {
        return enabled ? new BackupState(true, null, 0, UNKNOWN, null, 0) : OFF;
    }

    BackupState verified(@Nullable Moment at, long bytes, @Nullable String why) {
        return new BackupState(enabled, at, bytes, why, failed, failures);
    }

    BackupState failed(String why) {
        return new BackupState(enabled, lastVerified, bytes, this.why, why, failures + 1);
    }

    BackupState succeeded() {
        return new BackupState(enabled, lastVerified, bytes, why, null, failures);
    }

    /** The age of the newest verified backup; absent when there is none. */
    public @Nullable Duration age(Moment now) {
        return lastVerified == null ? null : now.since(lastVerified);
    }
}
