package io.github.sqlitehealth.actuate;

/** Every meter of the library: its name and what it means. */
enum SqliteMeter {
    LATCH_DURATION("sqlite.health.latch.duration", "How long the verdict has been true; 0 when nothing is latched"),
    INODE_CHANGES(
            "sqlite.health.inode.changes",
            "Changes of a file of the database that were seen while this process held it"),
    VERDICT("sqlite.health.verdict", "1 for the verdict that holds, 0 for all others"),
    TICK_AGE("sqlite.health.tick.age", "Time since a check last came to an end"),
    CHECK("sqlite.health.check", "How long witnesses took to answer"),
    TRANSIENTS("sqlite.health.transients", "Failed reads that passed when they were done again"),
    ALARMS("sqlite.health.alarms", "Lines that the alarm has written"),
    SNAPSHOTS("sqlite.health.snapshots", "Snapshots that have been taken"),
    APPLICATION_ERRORS("sqlite.health.application.errors", "SQLite errors that statements of the application ran into"),
    HAZARD("sqlite.health.hazard", "1 for a condition that corrupts databases sooner or later, 0 while it is absent"),
    BACKUP_AGE("sqlite.health.backup.age", "Age of the last verified backup; NaN when there is none"),
    BACKUP_DURATION("sqlite.health.backup.duration", "How long it took to copy and to check"),
    BACKUP_SIZE("sqlite.health.backup.size", "Size of the last verified backup"),
    BACKUP_FAILURES("sqlite.health.backup.failures", "Backups that failed"),
    FILE_SIZE("sqlite.file.size", "Size of a file of the database"),
    PAGES("sqlite.pages", "Pages of the database"),
    FREELIST_PAGES("sqlite.freelist.pages", "Unused pages of the database");

    private final String meterName;
    private final String description;

    SqliteMeter(String meterName, String description) {
        this.meterName = meterName;
        this.description = description;
    }

    String meterName() {
        return meterName;
    }

    String description() {
        return description;
    }
}
