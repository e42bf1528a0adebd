package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.Retention;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.witness.ReadLimits;
import io.github.sqlitehealth.witness.Timepiece;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Puts together what watches one database, out of what all databases share. */
record WatchedFactory(
        Settings settings,
        ReadLimits limits,
        Retention retention,
        Forensics forensics,
        OwnDescriptors own,
        Holders holders,
        MonitorListener listener,
        Timepiece time,
        StrandedFactory stranding) {

    /**
     * Nothing of it has begun.
     *
     * @param attached is told of a database that is attached to it from now on
     * @param detached is told the name of one that is not any more
     */
    Watched of(
            Database database,
            Consumer<Database> attached,
            Consumer<String> detached,
            Executor checkThread,
            Executor backupThread) {
        DatabaseMonitor monitor = new DatabaseMonitor(
                database,
                settings,
                limits,
                retention,
                forensics,
                own,
                own.allLocks(),
                holders,
                listener,
                time,
                stranding,
                attached,
                detached);
        BackupDuty backups = new BackupDuty(monitor, settings, listener, time, checkThread, backupThread);
        return new Watched(monitor, backups, checkThread);
    }
}
