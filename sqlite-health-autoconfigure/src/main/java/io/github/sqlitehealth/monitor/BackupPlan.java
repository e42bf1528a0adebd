package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** When the next backup of one database is due. Only the thread for backups asks. */
final class BackupPlan {

    /** How often the last verified one is looked at meanwhile, which may be removed or overwritten by hand. */
    private static final Duration GLANCE = Duration.ofMinutes(1);

    private final BackupSettings settings;

    /** When one that was due was last tried; absent when none was. */
    private @Nullable Moment triedAt;

    BackupPlan(BackupSettings settings) {
        this.settings = settings;
    }

    void tried(Moment now) {
        triedAt = now;
    }

    boolean isDue(BackupState state, Moment now) {
        return untilDue(state, now).compareTo(Duration.ZERO) <= 0;
    }

    Duration untilNextLook(BackupState state, Moment now) {
        Duration wait = untilDue(state, now);
        return wait.compareTo(GLANCE) < 0 ? wait : GLANCE;
    }

    private Duration untilDue(BackupState state, Moment now) {
        Duration age = state.age(now);
        // A clock that was wrong for a while must not put the next one off for ever.
        Duration wait = age == null || age.isNegative()
                ? Duration.ZERO
                : settings.interval().minus(age);
        // Also after one that succeeded: where somebody moves them away, each would be followed by the next at once.
        Moment tried = triedAt;
        Duration rest = tried == null ? Duration.ZERO : settings.retry().minus(now.since(tried));
        return wait.compareTo(rest) > 0 ? wait : rest;
    }
}
