package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.monitor.IdentityCheck.Glance;
import io.github.sqlitehealth.witness.IdentityWitness;
import io.github.sqlitehealth.witness.IdentityWitness.Stats;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One look at the files of many databases. First all questions for the paths, which is all for most, then all comparisons,
 * then one pause for all second looks: what this process holds is listed once for all databases, and it does not matter how many of them are in
 * trouble.
 */
final class Looks {

    private static final Logger log = LoggerFactory.getLogger(Looks.class);

    /** Those that are not simply as they were before. */
    private final List<Looked> looks = new ArrayList<>();

    private Looks() {}

    /** What is at the paths of a database, and then the first look. */
    private static final class Looked {

        private final DatabaseMonitor database;
        private @Nullable Stats stats;
        private boolean asBefore;
        private @Nullable Glance glance;

        Looked(DatabaseMonitor database) {
            this.database = database;
        }

        void stat(Function<DatabaseMonitor, @Nullable FileTime> changes) {
            Stats now = database.identity().stat(changes.apply(database));
            stats = now;
            asBefore = now != null && database.identity().isAsBefore(now);
        }

        void glance() {
            glance = database.identity().glance(stats);
        }

        boolean needsSecond() {
            return glance != null && glance.needsSecond();
        }

        void conclude() {
            if (glance != null) {
                database.identity().conclude(glance);
            }
        }
    }

    /** Looks at each of them, and at all files of each. */
    static void at(Collection<DatabaseMonitor> databases) {
        begin(databases, database -> null).end();
    }

    /**
     * Asks what is at the paths of each, which is all for most of them; that one fails keeps nobody from the others.
     *
     * @param changes when the directory of a database last changed; null to have all files asked in any case
     */
    static Looks begin(Collection<DatabaseMonitor> databases, Function<DatabaseMonitor, @Nullable FileTime> changes) {
        Looks begun = new Looks();
        for (DatabaseMonitor database : databases) {
            Looked looked = new Looked(database);
            guarded(database, () -> looked.stat(changes));
            if (!looked.asBefore) {
                begun.looks.add(looked);
            }
        }
        return begun;
    }

    /** What is left to do; those that are not simply as they were before. */
    List<DatabaseMonitor> end() {
        boolean second = false;
        for (Looked looked : looks) {
            guarded(looked.database, looked::glance);
            second |= looked.needsSecond();
        }
        if (second) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(IdentityWitness.APART_MILLIS));
        }
        for (Looked looked : looks) {
            guarded(looked.database, looked::conclude);
        }
        return looks.stream().map(looked -> looked.database).toList();
    }

    static void guarded(DatabaseMonitor database, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The look at {} failed; the watch goes on",
                    database.database().file(),
                    ex);
        }
    }
}
