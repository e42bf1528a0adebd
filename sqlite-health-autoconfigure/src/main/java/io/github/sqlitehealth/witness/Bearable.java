package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Reason;
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

    /** Where nobody has asked the application's connections yet: half of the driver's own busy time-out. */
    static final Duration ASSUMED = Duration.ofMillis(1500);

    static final Reading NOT_AT_ALL = Reading.unasked(
            Reason.NOT_SUPPORTED, "without WAL and without a busy time-out any read could make a writer fail");

    private Bearable() {}

    /** The time that one read transaction may take; zero when none can be afforded. */
    static Duration hold(Connection connection, String schema) throws SQLException {
        if (isWal(connection, schema)) {
            return UNBOUNDED;
        }
        return Duration.ofMillis(HandleFacts.number(connection, schema, "busy_timeout") / 2);
    }

    static boolean isWal(Connection connection, String schema) throws SQLException {
        return "wal".equalsIgnoreCase(HandleFacts.text(connection, schema, "journal_mode"));
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
