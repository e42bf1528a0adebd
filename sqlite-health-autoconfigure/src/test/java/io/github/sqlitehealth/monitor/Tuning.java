package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.witness.ContentRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings for a test: the usual ones, and what differs. */
final class Tuning {

    Duration watchInterval = Duration.ofMillis(50);
    boolean events = false;
    Duration quickInterval = Duration.ofMinutes(10);
    Duration quickInitialDelay = Duration.ZERO;
    Duration quickTimeout = Duration.ofSeconds(30);
    Duration fullInterval = Duration.ofHours(24);
    boolean anchor = true;
    Duration staleAfter = Duration.ofMinutes(30);

    @Nullable
    Check firstCheck = Check.QUICK;

    @Nullable
    Path snapshots;

    int snapshotsMaxCount = 200;

    BackupSettings backup = BackupSettings.OFF;

    Settings settings() {
        return new Settings(
                watchInterval,
                Duration.ZERO,
                events,
                quickInterval,
                quickInitialDelay,
                quickTimeout,
                2,
                Duration.ofSeconds(1),
                fullInterval,
                Duration.ofMinutes(10),
                0.05,
                anchor,
                ContentRules.NONE,
                List.of(),
                false,
                Duration.ofMinutes(30),
                staleAfter,
                firstCheck,
                snapshots,
                snapshotsMaxCount,
                64 << 20,
                Duration.ofSeconds(2),
                backup);
    }
}
