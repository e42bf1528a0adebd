package io.github.sqlitehealth.diagnosis;

import java.util.Locale;

/** The hazards that are looked for, those that corrupt soonest first; each with what to do about it. */
public enum HazardKind {
    /** A foreign process writes files of this database that have lost their names. */
    FOREIGN_STALE_HOLDER("end that process hard (kill -9) before it closes the database, then restart it"),
    /** The main file has several names. */
    HARD_LINK("remove the other names (find them with find -xdev -samefile) and copy with VACUUM INTO instead"),
    /** Two SQLite libraries in this process do not know of each other's locks. */
    TWO_SQLITE_LIBRARIES("load the driver once, in a class loader that all parts of the application share"),
    /** The volume is a network file system, or one that a host shares with its guest, or one of user space. */
    NETWORK_MOUNT("move the database to a local disk"),
    /** The folder is copied by a program that knows nothing of WAL and locks. */
    SYNCED_FOLDER("move the database out of that folder, or exclude it there"),
    /** The SQLite that runs may lose committed transactions when it resets a WAL. */
    WAL_RESET_BUG(
            "use SQLite 3.51.3 or later, such as sqlite-jdbc 3.53.4.0 (in Spring Boot the property sqlite-jdbc.version)"),
    /** Nothing is forced to the disk. */
    SYNCHRONOUS_OFF("set synchronous to NORMAL (with WAL) or FULL in the URL or the pool's properties"),
    /** A crash in the middle of a transaction cannot be undone. */
    UNSAFE_JOURNAL("set journal_mode to WAL or DELETE in the URL or the pool's properties"),
    /** The WAL is not reset any more. */
    WAL_GROWING("find and end the transaction that stays open, in this process or another"),
    /** An index that is made from other tables does not agree with them any more. */
    INDEX_DRIFT("rebuild it: INSERT INTO name(name) VALUES('rebuild')"),
    /** Rows that a stranded process has saved may be in no other place. */
    RESCUE_COPIES("compare them with the database, bring over what it lacks, then move or delete them"),
    /** No room for a copy. */
    DISK_SPACE("free or add space on that volume"),
    /** Another process uses the database. */
    FOREIGN_HOLDER("make sure that it is meant to, and stop it before the database is restored or moved");

    private final String action;

    HazardKind(String action) {
        this.action = action;
    }

    /** The name in health, metrics and log, such as {@code hard-link}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What to do, in one clause. */
    public String action() {
        return action;
    }
}
