package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Testimony;
import java.time.Duration;

/** Hears of what the monitor does, on the monitor's threads: an implementation must be quick and must not throw. */
public interface MonitorListener {

    /** A database is watched from now on. */
    default void added(WatchedDatabase database) {}

    /** A database is watched no longer. */
    default void removed(WatchedDatabase database) {}

    /** A database has another verdict. */
    default void verdictChanged(MonitorState before, MonitorState after) {}

    /** A witness was asked. */
    default void heard(String database, Testimony testimony) {}

    /** A backup was taken, and has passed its check. */
    default void backedUp(String database, Duration took) {}
}
