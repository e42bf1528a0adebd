package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a database is like before it is replaced, and what it says of itself.
 *
 * @param state what it is like
 * @param condition the same in words
 * @param applicationId absent when it cannot be told
 * @param userVersion absent when it cannot be told
 */
record PresentDatabase(
        State state,
        String condition,
        @Nullable Long applicationId,
        @Nullable Long userVersion) {

    private static final Logger log = LoggerFactory.getLogger(PresentDatabase.class);

    /**
     * Looks at it with a full check.
     *
     * @param used whether anybody has it open; nothing is created beside a database that nobody has open
     * @param memory what an earlier process knew
     */
    static PresentDatabase of(
            Path main, boolean used, ContentRules rules, Optional<Remembered> memory, Duration limit, Timepiece time) {
        if (!Files.exists(main)) {
            return new PresentDatabase(State.MISSING, "is missing", null, null);
        }
        boolean alone = !used && DatabaseFiles.wholeByItself(main);
        Testimony said = pages(alone ? FreshWitness.ofUnused(main, time) : new FreshWitness(main, time), limit);
        if (said.bad()) {
            return with(main, alone, State.DAMAGED, "is damaged: " + said.text());
        }
        if (said.because(Reason.EMPTY)) {
            return new PresentDatabase(State.EMPTIED, "is an empty file", null, null);
        }
        if (!said.ok() && !said.because(Reason.APPLICATION_ONLY)) {
            return with(main, alone, State.UNKNOWN, "could not be checked (" + said.reason() + "): " + said.text());
        }
        Optional<Content> content = memory.map(Remembered::content);
        ContentWitness witness = alone
                ? ContentWitness.ofUnused(main, rules, content, time)
                : new ContentWitness(main, rules, content, time);
        String missing = missing(witness, rules, memory);
        return missing == null
                ? with(main, alone, State.HEALTHY, "is sound")
                : with(main, alone, State.EMPTIED, "is emptied: " + missing).begunAnew();
    }

    /** What was created instead of it may not say yet what the database said. */
    private PresentDatabase begunAnew() {
        Long id = applicationId == null || applicationId == 0 ? null : applicationId;
        return new PresentDatabase(state, condition, id, null);
    }

    /** Damage counts when two connections see it. */
    private static Testimony pages(FreshWitness witness, Duration limit) {
        Testimony first = witness.ask(Check.FULL, limit, limit).testimony();
        return first.bad() ? witness.ask(Check.FULL, limit, limit).testimony() : first;
    }

    private static @Nullable String missing(ContentWitness witness, ContentRules rules, Optional<Remembered> memory) {
        memory.stream()
                .flatMap(remembered -> remembered.findings().stream())
                .filter(finding -> finding.verdict() == Verdict.EMPTIED)
                .forEach(finding -> witness.stillMissing(finding.text()));
        Testimony said = witness.ask();
        Content now = witness.present().orElse(null);
        if (said.bad() || now == null) {
            return said.bad() ? said.text() : null;
        }
        if (now.tables().isEmpty() && now.pages() <= 1) {
            return "there are no tables";
        }
        // Where there are rows, a rule that was never kept is one of a database that is being filled.
        return now.filled().isEmpty() && !rules.brokenBy(now).isEmpty()
                ? "there are no rows, and " + String.join(", ", rules.brokenBy(now)) + " must be there"
                : null;
    }

    private static PresentDatabase with(Path main, boolean alone, State state, String condition) {
        try (Connection connection = alone ? FreshConnections.openUnused(main) : FreshConnections.open(main)) {
            return new PresentDatabase(
                    state, condition, number(connection, "application_id"), number(connection, "user_version"));
        } catch (SQLException ex) {
            log.debug("What {} says of itself cannot be read", main, ex);
            return new PresentDatabase(state, condition, null, null);
        }
    }

    private static long number(Connection connection, String pragma) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("PRAGMA " + pragma)) {
            found.next();
            return found.getLong(1);
        }
    }
}
