package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.Backup;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest verified backup of a database, and whether it still is what it was when it was found: backups are removed and
 * overwritten by hand, too. Thread-safe.
 */
final class NewestBackup {

    private static final Logger log = LoggerFactory.getLogger(NewestBackup.class);

    private final Path source;
    private @Nullable Backup newest;
    private @Nullable FileFacts seen;

    /** What was the newest, until there is one that is as new. */
    private @Nullable Backup lost;

    private @Nullable String why;

    /** @param source of the backups, for people */
    NewestBackup(Path source) {
        this.source = source;
    }

    /** What a look into the directory has found, every copy that had changed read again. */
    synchronized void found(@Nullable Backup last) {
        Backup before = newest;
        if (before != null && (last == null || last.at().isBefore(before.at()))) {
            lose(before, facts(before));
        }
        newest = last;
        seen = last == null ? null : facts(last);
        Backup missed = lost;
        if (last == null) {
            why = missed == null ? "there is no verified backup" : why;
        } else if (missed == null || !last.at().isBefore(missed.at())) {
            if (missed != null) {
                log.info("{} is the last verified backup of {} now", last.file(), source);
            }
            lost = null;
            why = null;
        }
    }

    /** Whether it is gone or changed, and counts no longer until somebody has looked more closely. Costs a {@code stat}. */
    synchronized boolean isLost() {
        Backup last = newest;
        FileFacts before = seen;
        FileFacts now = last == null ? null : facts(last);
        boolean same = now != null
                && before != null
                && now.size() == before.size()
                && now.modified().equals(before.modified());
        if (last == null || same) {
            return false;
        }
        lose(last, now);
        newest = null;
        return true;
    }

    private void lose(Backup last, @Nullable FileFacts now) {
        lost = last;
        why = last.name() + (now == null ? " is gone" : " has been changed since it was checked");
        log.warn(
                "The last verified backup of {} counts no longer: {}, in {}",
                source,
                why,
                last.file().getParent());
    }

    private static @Nullable FileFacts facts(Backup backup) {
        try {
            return FileFacts.of(backup.file());
        } catch (IOException ex) {
            log.debug("{} cannot be looked at", backup.file(), ex);
            return null;
        }
    }

    /** Absent when there is none. */
    synchronized @Nullable Backup backup() {
        return newest;
    }

    /** Why there is none, or none that is newer; absent when nothing is wrong. */
    synchronized @Nullable String why() {
        return why;
    }
}
