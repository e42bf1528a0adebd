package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.sqlite.ProgressHandler;

/** Asks a connection that has never failed: a new read-only one, opened, asked and closed. */
public final class FreshWitness {

    /** Between two calls; in a check a step is a page. */
    private static final int STEPS = 250;

    private final Path file;
    private final Timepiece time;
    private final Opening opening;

    public FreshWitness(Path file, Timepiece time) {
        this(file, time, FreshConnections::open);
    }

    private FreshWitness(Path file, Timepiece time, Opening opening) {
        this.file = file;
        this.time = time;
        this.opening = opening;
    }

    /** One that asks a file that nobody uses, such as a backup, and leaves nothing beside it. */
    public static FreshWitness ofUnused(Path file, Timepiece time) {
        return new FreshWitness(file, time, FreshConnections::openUnused);
    }

    /**
     * The same.
     *
     * @param inBetween called again and again while pages are read, every few megabytes
     */
    public static FreshWitness ofUnused(Path file, Timepiece time, Runnable inBetween) {
        return new FreshWitness(file, time, any -> interrupted(FreshConnections.openUnused(any), inBetween));
    }

    private static Connection interrupted(Connection connection, Runnable inBetween) throws SQLException {
        ProgressHandler.setHandler(connection, STEPS, new ProgressHandler() {
            @Override
            protected int progress() {
                inBetween.run();
                return 0;
            }
        });
        return connection;
    }

    /**
     * Checks all pages through a new connection.
     *
     * @param check QUICK or FULL
     * @param hold how long one read transaction may last: what a writer of a database without WAL can bear
     * @param limit how long all may take
     */
    public Said ask(Check check, Duration hold, Duration limit) {
        Moment start = time.now();
        PageCheck pages = check == Check.FULL ? PageCheck.FULL : PageCheck.QUICK;
        try (Connection connection = opening.open(file)) {
            Duration bearable = Bearable.isWal(connection, HandleFacts.MAIN) ? limit : Bearable.shorter(hold, limit);
            Reading reading = bearable.isZero() ? Bearable.NOT_AT_ALL : read(connection, pages, bearable, limit);
            Section<HandleFacts> facts = Section.of(() -> HandleFacts.of(connection));
            return new Said(testimony(check, judged(reading, facts), start), facts);
        } catch (SQLException ex) {
            return new Said(testimony(check, Reading.of(ex), start), Section.failed(ex));
        }
    }

    /** A file without pages is sound as far as any check can see: that acquits nobody. */
    private static Reading judged(Reading reading, Section<HandleFacts> facts) {
        boolean empty = facts.value() != null && facts.value().pageCount() == 0;
        return reading.ok() && empty ? Reading.unasked(Reason.EMPTY, "the file is empty") : reading;
    }

    private Reading read(Connection connection, PageCheck pages, Duration hold, Duration limit) throws SQLException {
        Reading whole = pages.whole(connection, HandleFacts.MAIN, hold);
        if (whole.ok() || whole.because(Reason.BUSY) || whole.because(Reason.IO_ERROR)) {
            return whole;
        }
        if (whole.because(Reason.INTERRUPTED)) {
            return piecemeal(connection, pages, hold, limit, List.of());
        }
        List<String> foreign = foreign(connection);
        if (foreign.isEmpty() && whole.bad()) {
            return whole;
        }
        return piecemeal(connection, pages, hold, limit, foreign);
    }

    /** A database too damaged to list its tables has no tables that could excuse the failure. */
    private static List<String> foreign(Connection connection) {
        try {
            return PageCheck.foreign(connection);
        } catch (SQLException ex) {
            return List.of();
        }
    }

    private Reading piecemeal(
            Connection connection, PageCheck pages, Duration hold, Duration limit, List<String> foreign) {
        TableRound.Outcome outcome =
                new TableRound(time).run(connection, HandleFacts.MAIN, pages, hold, limit, foreign);
        if (!outcome.reading().ok() || outcome.whole()) {
            return outcome.reading();
        }
        Reason reason = outcome.left().isEmpty() ? Reason.INTERRUPTED : Reason.APPLICATION_ONLY;
        return Reading.unasked(reason, "only " + outcome.coverage());
    }

    private Testimony testimony(Check check, Reading reading, Moment start) {
        Moment end = time.now();
        return new Testimony(
                Witness.FRESH, check, reading.says(), reading.reason(), reading.text(), end, end.since(start));
    }
}
