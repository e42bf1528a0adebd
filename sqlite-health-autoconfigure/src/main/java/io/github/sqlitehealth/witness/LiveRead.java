package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Reason;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One quick check on one of the application's connections, with its re-reads, within its time. */
final class LiveRead {

    private final ReadLimits limits;
    private final TableRound tables;
    private final Timepiece time;

    /** Whether the whole did not fit last time, so that it goes table by table. */
    private boolean piecemeal;

    private Duration bearable = Bearable.ASSUMED;
    private boolean roundBegins = true;

    LiveRead(ReadLimits limits, Timepiece time) {
        this.limits = limits;
        this.tables = new TableRound(time);
        this.time = time;
    }

    /** All connections are going to be asked. */
    void beginRound() {
        roundBegins = true;
    }

    Result of(LiveHandle handle) {
        long start = time.now().nanos();
        Reading first = read(handle, start);
        Reading last = first;
        for (int retry = 0;
                retry < limits.retries() && failed(last) && !left(handle, start).isZero();
                retry++) {
            last = read(handle, start);
        }
        String transientText = first.bad() && last.ok() ? first.text() : null;
        return new Result(last, transientText, facts(handle), attached(handle));
    }

    /** What a writer could bear when the connections were last asked: the least that any of them could. */
    Duration bearable() {
        return bearable;
    }

    private static boolean failed(Reading reading) {
        return reading.bad() || reading.because(Reason.IO_ERROR);
    }

    /** A connection that is missed is away for its budget in all, another one for the time-out of each read. */
    private Duration left(LiveHandle handle, long start) {
        if (handle.spare()) {
            return limits.timeout();
        }
        Duration left = limits.budget().minusNanos(time.now().nanos() - start);
        return left.isNegative() ? Duration.ZERO : left;
    }

    @SuppressWarnings("try") // the constraints are there to be closed
    private Reading read(LiveHandle handle, long start) {
        Connection connection = handle.connection();
        Duration hold;
        try {
            hold = Bearable.hold(connection, handle.schema());
        } catch (SQLException ex) {
            return Reading.of(ex);
        }
        bearable = roundBegins ? hold : Bearable.shorter(bearable, hold);
        roundBegins = false;
        if (hold.isZero()) {
            return Bearable.NOT_AT_ALL;
        }
        try (Constraints ignored = Constraints.ignore(connection)) {
            return read(connection, hold, handle, start);
        } catch (SQLException ex) {
            return Reading.of(ex);
        }
    }

    private Reading read(Connection connection, Duration hold, LiveHandle handle, long start) {
        if (!piecemeal) {
            Reading whole =
                    PageCheck.QUICK.whole(connection, handle.schema(), Bearable.shorter(hold, left(handle, start)));
            if (!whole.because(Reason.INTERRUPTED)) {
                return whole;
            }
            piecemeal = true;
        }
        Duration rest = Bearable.shorter(hold, left(handle, start));
        TableRound.Outcome outcome = tables.run(connection, handle.schema(), PageCheck.QUICK, rest, rest, List.of());
        piecemeal = !outcome.whole();
        return outcome.covered("ok for ");
    }

    private static Section<HandleFacts> facts(LiveHandle handle) {
        return Section.of(() -> HandleFacts.of(handle.connection(), handle.schema()));
    }

    /** What else a connection has open; an attached database is not asked for what is attached beside it. */
    private static Map<Path, String> attached(LiveHandle handle) {
        try {
            return HandleFacts.MAIN.equals(handle.schema()) ? AttachedHandles.of(handle.connection()) : Map.of();
        } catch (SQLException ex) {
            return Map.of();
        }
    }

    /**
     * What one connection said.
     *
     * @param reading the last read
     * @param firstFailure what the first read said, when it failed and a later one passed
     * @param facts the connection's view
     * @param attached what it has attached: name by file
     */
    record Result(
            Reading reading, @Nullable String firstFailure, Section<HandleFacts> facts, Map<Path, String> attached) {

        static Result failed(SQLException failure) {
            return new Result(Reading.of(failure), null, Section.failed(failure), Map.of());
        }
    }
}
