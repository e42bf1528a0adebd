package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Checks a database table by table, where a check of the whole would hold its read transaction for too long. Between
 * two tables nothing is held. The next round goes on where this one ran out of time.
 */
final class TableRound {

    private final Timepiece time;
    private int next;

    TableRound(Timepiece time) {
        this.time = time;
    }

    /**
     * Asks as many tables as fit.
     *
     * @param hold how long one statement may run
     * @param total how long all of them may take
     * @param except tables that this connection cannot judge
     */
    Outcome run(
            Connection connection,
            String schema,
            PageCheck check,
            Duration hold,
            Duration total,
            Collection<String> except) {
        List<String> tables;
        try {
            tables = PageCheck.tables(connection, schema);
        } catch (SQLException ex) {
            return new Outcome(Reading.of(ex), 0, 0, List.of());
        }
        List<String> left = new ArrayList<>(except);
        long start = time.now().nanos();
        int passed = 0;
        for (int turn = 0; turn < tables.size(); turn++) {
            Duration rest = total.minusNanos(time.now().nanos() - start);
            if (rest.isNegative() || rest.isZero() || Thread.currentThread().isInterrupted()) {
                break;
            }
            String table = tables.get(next++ % tables.size());
            if (except.contains(table)) {
                continue;
            }
            Reading reading = check.table(connection, schema, table, rest.compareTo(hold) < 0 ? rest : hold);
            if (reading.ok()) {
                passed++;
            } else if (reading.because(Reason.APPLICATION_ONLY) || reading.because(Reason.INTERRUPTED)) {
                left.add(table);
            } else {
                return new Outcome(reading, passed, tables.size(), left);
            }
        }
        return new Outcome(Reading.OK, passed, tables.size(), left);
    }

    /**
     * What a round gave.
     *
     * @param reading the first that was not OK, or OK
     * @param passed how many tables passed
     * @param of how many there are
     * @param left tables that could not be judged
     */
    record Outcome(Reading reading, int passed, int of, List<String> left) {

        boolean whole() {
            return passed == of;
        }

        /** What was found, and how much was looked at; nothing looked at is nothing found. */
        Reading covered(String prefix) {
            if (!reading.ok()) {
                return reading;
            }
            return passed == 0
                    ? Reading.unasked(Reason.INTERRUPTED, "no table fits into the time: " + coverage())
                    : new Reading(reading.says(), Reason.NONE, prefix + coverage());
        }

        String coverage() {
            String text = passed + " of " + of + " tables";
            return left.isEmpty() ? text : text + "; not asked: " + String.join(", ", left);
        }
    }
}
