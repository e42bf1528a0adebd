package io.github.sqlitehealth.monitor;

/** What goes round from a start of the monitor to its stop; after the next start it is another pair. */
record Rounds(Watch watch, Checks checks) {

    void add(DatabaseMonitor database) {
        watch.add(database);
        checks.add(database);
    }
}
