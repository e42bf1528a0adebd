package io.github.sqlitehealth.witness;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * How long a read may last without harm. In WAL mode readers and writers do not wait for each other. In all other
 * journal modes a reader blocks every commit, and a writer gives up after its busy time-out: half of it is left alone.
 */
final class Bearable {

    /** In WAL mode. */
    static final Duration UNBOUNDED = Duration.ofDays(1);

    private Bearable() {}

    /** The time that one read transaction may take; zero when none can be afforded. */
    static Duration hold(Connection connection, String schema) throws SQLException {
        if ("wal".equalsIgnoreCase(HandleFacts.text(connection, schema, "journal_mode"))) {
            return UNBOUNDED;
        }
        return Duration.ofMillis(HandleFacts.number(connection, schema, "busy_timeout") / 2);
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
