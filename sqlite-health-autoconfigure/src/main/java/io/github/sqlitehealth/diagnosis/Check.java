package io.github.sqlitehealth.diagnosis;

import java.util.Locale;

/** The occasions on which witnesses are heard. Each is a source of alarms with a throttle of its own. */
public enum Check {
    /** The look of the watch at files and descriptors: cheap, every second, never blocked by SQL. */
    IDENTITY,
    /** {@code PRAGMA quick_check} on a live and on a fresh connection. */
    QUICK,
    /** {@code PRAGMA integrity_check} on a fresh connection, confirmed by a second one. */
    FULL,
    /** What the application's own statements run into. */
    WRITES;

    /** The name in metrics and alarm lines. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
