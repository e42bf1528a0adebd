package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps an application from starting on a database. That it cannot be asked does not.
 *
 * @param memory what an earlier process knew
 * @param rules what must be there
 * @param limits how long a check may take
 */
public record StartCheck(
        Path file, Optional<Remembered> memory, ContentRules rules, Function<Check, Duration> limits, Timepiece time) {

    private static final Logger log = LoggerFactory.getLogger(StartCheck.class);

    /**
     * What is wrong.
     *
     * @param verdict DAMAGED, UNREADABLE, EMPTIED or MISSING
     * @param text what the witness said
     * @param known whether an earlier process had found it
     * @param since when that was, absent when it is news or when nobody knows
     */
    public record Trouble(
            Verdict verdict,
            String text,
            boolean known,
            @Nullable Instant since) {}

    /**
     * Asks. Damage that was known is only cleared by a full check, whatever is asked for.
     *
     * @param wanted QUICK or FULL
     * @return empty when nothing is wrong, or when there is no file and never was
     */
    public Optional<Trouble> ask(Check wanted) {
        boolean marked = CorruptMarker.exists(file);
        Check check = marked || known(Verdict.DAMAGED).isPresent() ? Check.FULL : wanted;
        PresentDatabase present = new Examination(file, false, rules, memory, time).ask(check, limits.apply(check));
        if (marked && present.passed()) {
            CorruptMarker.clear(file);
        }
        Verdict verdict = present.verdict();
        if (verdict == null && present.state() == State.UNKNOWN) {
            log.warn("{} {}: no check has come to an answer before the start", file, present.condition());
        }
        return verdict == null
                ? Optional.empty()
                : Optional.of(new Trouble(
                        verdict,
                        present.text(),
                        known(verdict).isPresent() || marked && verdict == Verdict.DAMAGED,
                        since(verdict).orElse(null)));
    }

    /** For the next start, which must not begin to count anew, and for scripts: the application will not be there to tell. */
    public void mark(Trouble trouble) {
        if (trouble.verdict() == Verdict.DAMAGED) {
            Instant since = trouble.since() == null ? time.clock().instant() : trouble.since();
            try {
                new CorruptMarker(since, trouble.verdict().name(), trouble.text(), null).write(file);
            } catch (IOException ex) {
                log.warn("No marker can be written beside the damaged {}: {}", file, ex.toString());
            }
        }
    }

    private Optional<Instant> since(Verdict verdict) {
        Optional<Instant> since = known(verdict).map(RememberedFinding::since);
        return since.isPresent() || verdict != Verdict.DAMAGED
                ? since
                : CorruptMarker.of(file).map(CorruptMarker::time);
    }

    private Optional<RememberedFinding> known(Verdict verdict) {
        return memory.flatMap(remembered -> remembered.finding(verdict));
    }
}
