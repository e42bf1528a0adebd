package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks external-content FTS5 tables whether they still agree with the table they were made from. No check of pages can
 * see that they do not. The question is an INSERT, so it needs the write lock for its time: it is asked only of tables
 * that the application names, is cancelled at its budget, and is rolled back. See
 * https://www.sqlite.org/fts5.html#the_integrity_check_command.
 */
public final class DerivedIndexes {

    private static final Logger log = LoggerFactory.getLogger(DerivedIndexes.class);

    private final List<LiveHandles> owners;
    private final List<String> tables;
    private final Duration budget;

    /**
     * @param tables names of the FTS5 tables
     * @param budget how long each may take
     */
    public DerivedIndexes(List<LiveHandles> owners, List<String> tables, Duration budget) {
        this.owners = owners;
        this.tables = List.copyOf(tables);
        this.budget = budget;
    }

    /** The tables that do not agree with their content; one that could not be asked is not among them. */
    public List<String> drifted() {
        List<String> drifted = new ArrayList<>();
        for (LiveHandles owner : owners) {
            if (tables.isEmpty()) {
                break;
            }
            try (LiveHandle handle = owner.take(Set.of())) {
                if (handle != null) {
                    tables.stream().filter(table -> hasDrifted(handle, table)).forEach(drifted::add);
                    break;
                }
            } catch (SQLException ex) {
                log.debug("No connection to ask derived indexes through", ex);
            }
        }
        return drifted;
    }

    private boolean hasDrifted(LiveHandle handle, String table) {
        try {
            // A writer that waits for us must not run into its busy time-out, whatever the journal mode.
            Duration half =
                    Duration.ofMillis(HandleFacts.number(handle.connection(), handle.schema(), "busy_timeout") / 2);
            Reading reading = ask(handle, table, Bearable.shorter(half, budget));
            if (!reading.ok() && !reading.bad()) {
                log.debug("The index {} could not be asked: {}", table, reading.text());
            }
            return reading.bad();
        } catch (SQLException ex) {
            log.debug("The index {} could not be asked", table, ex);
            return false;
        }
    }

    @SuppressWarnings("try") // the deadline is there to be closed
    private static Reading ask(LiveHandle handle, String table, Duration limit) throws SQLException {
        if (limit.isZero()) {
            return Reading.unasked(Reason.NOT_SUPPORTED, "there is no busy time-out");
        }
        Connection connection = handle.connection();
        boolean own = connection.getAutoCommit();
        String name = PageCheck.quoted(table);
        try (Statement statement = connection.createStatement()) {
            if (own) {
                statement.execute("BEGIN");
            }
            try (Deadline deadline = new Deadline(statement, limit)) {
                statement.execute("INSERT INTO " + PageCheck.quoted(handle.schema()) + "." + name + "(" + name
                        + ", rank) VALUES('integrity-check', 1)");
                return Reading.OK;
            } catch (SQLException ex) {
                return Reading.of(ex);
            } finally {
                if (own) {
                    statement.execute("ROLLBACK");
                } else {
                    connection.rollback();
                }
            }
        }
    }
}
