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
    private final TableRound round;

    /** Whether the whole did not fit last time, so that it goes table by table. */
    private boolean piecemeal;

    private Duration bearable = Bearable.UNBOUNDED;

    LiveRead(ReadLimits limits, Timepiece time) {
        this.limits = limits;
        this.round = new TableRound(time);
    }

    Result of(LiveHandle handle) {
        Connection connection = handle.connection();
        Duration hold;
        try {
            bearable = Bearable.hold(connection, handle.schema());
            hold = Bearable.shorter(bearable, handle.spare() ? limits.timeout() : limits.budget());
        } catch (SQLException ex) {
            return Result.failed(ex);
        }
        if (hold.isZero()) {
            String why = "without WAL and without a busy time-out any read could make a writer fail";
            return new Result(Reading.unasked(Reason.NOT_SUPPORTED, why), null, facts(handle), Map.of());
        }
        Reading first = read(handle, hold);
        Reading last = first;
        for (int retry = 0; retry < limits.retries() && failed(last); retry++) {
            last = read(handle, hold);
        }
        String transientText = first.bad() && last.ok() ? first.text() : null;
        return new Result(last, transientText, facts(handle), attached(handle));
    }

    /** What a writer could bear when a connection was last asked. */
    Duration bearable() {
        return bearable;
    }

    /** What else a connection has open; an attached database is not asked for what is attached beside it. */
    private static Map<Path, String> attached(LiveHandle handle) {
        try {
            return HandleFacts.MAIN.equals(handle.schema()) ? AttachedHandles.of(handle.connection()) : Map.of();
        } catch (SQLException ex) {
            return Map.of();
        }
    }

    private static boolean failed(Reading reading) {
        return reading.bad() || reading.because(Reason.IO_ERROR);
    }

    private Reading read(LiveHandle handle, Duration hold) {
        if (!piecemeal) {
            Reading whole = PageCheck.QUICK.whole(handle.connection(), handle.schema(), hold);
            if (!whole.because(Reason.INTERRUPTED)) {
                return whole;
            }
            piecemeal = true;
        }
        TableRound.Outcome outcome =
                round.run(handle.connection(), handle.schema(), PageCheck.QUICK, hold, hold, List.of());
        piecemeal = !outcome.whole();
        return outcome.reading().ok()
                ? new Reading(outcome.reading().says(), Reason.NONE, "ok for " + outcome.coverage())
                : outcome.reading();
    }

    private static Section<HandleFacts> facts(LiveHandle handle) {
        return Section.of(() -> HandleFacts.of(handle.connection(), handle.schema()));
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
