package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with a database that nobody of this process uses yet. Every bad answer is confirmed by another fresh
 * connection; what cannot be asked is no reason to keep an application from starting.
 */
public final class StartCheck {

    private static final Logger log = LoggerFactory.getLogger(StartCheck.class);

    private final Path file;
    private final Optional<Remembered> memory;
    private final ContentRules rules;
    private final Function<Check, Duration> limits;
    private final Timepiece time;

    /**
     * @param memory what an earlier process knew
     * @param rules what must be there
     * @param limits how long a check may take
     */
    public StartCheck(
            Path file,
            Optional<Remembered> memory,
            ContentRules rules,
            Function<Check, Duration> limits,
            Timepiece time) {
        this.file = file;
        this.memory = memory;
        this.rules = rules;
        this.limits = limits;
        this.time = time;
    }

    /**
     * What is wrong.
     *
     * @param verdict DAMAGED, UNREADABLE, EMPTIED or MISSING
     * @param text what the witness said
     * @param since when an earlier process found it, absent when it is news
     */
    public record Trouble(
            Verdict verdict, String text, @Nullable Instant since) {}

    /**
     * Asks. Damage that was known is only cleared by a full check, whatever is asked for.
     *
     * @param wanted QUICK or FULL
     * @return empty when nothing is wrong, or when there is no file and never was
     */
    public Optional<Trouble> ask(Check wanted) {
        Optional<Content> content = memory.map(Remembered::content);
        if (!exists()) {
            return content.filter(had -> had.pages() > 0)
                    .map(had -> trouble(
                            Verdict.MISSING, "there is no file; it had " + had.pages() + " pages when last seen"));
        }
        boolean marked = CorruptMarker.exists(file);
        Check check = marked || known(Verdict.DAMAGED).isPresent() ? Check.FULL : wanted;
        Testimony said = pages(check);
        Optional<Trouble> trouble = judge(said, check);
        if (trouble.isEmpty() && marked && said.ok()) {
            CorruptMarker.clear(file);
        }
        return trouble.isPresent() ? trouble : emptied(content);
    }

    private Optional<Trouble> judge(Testimony said, Check check) {
        if (said.bad()) {
            return Optional.of(trouble(Verdict.DAMAGED, said.text()));
        }
        if (said.because(Reason.IO_ERROR)) {
            return Optional.of(trouble(Verdict.UNREADABLE, said.text()));
        }
        if (!said.ok() && !said.because(Reason.EMPTY)) {
            log.warn("The {} check of {} before the start came to no answer: {}", check.key(), file, said.text());
        }
        return Optional.empty();
    }

    /** A bad answer counts when another connection gives one, too. */
    private Testimony pages(Check check) {
        FreshWitness fresh = new FreshWitness(file, time);
        Duration limit = limits.apply(check);
        Testimony first = fresh.ask(check, limit, limit).testimony();
        return first.bad() || first.because(Reason.IO_ERROR)
                ? fresh.ask(check, limit, limit).testimony()
                : first;
    }

    private Optional<Trouble> emptied(Optional<Content> content) {
        ContentWitness witness = new ContentWitness(file, rules, content, time);
        known(Verdict.EMPTIED).ifPresent(finding -> witness.stillMissing(finding.text()));
        Testimony said = witness.ask();
        return said.bad() ? Optional.of(trouble(Verdict.EMPTIED, said.text())) : Optional.empty();
    }

    private Trouble trouble(Verdict verdict, String text) {
        Instant since = known(verdict)
                .map(RememberedFinding::since)
                .or(() ->
                        verdict == Verdict.DAMAGED ? CorruptMarker.of(file).map(CorruptMarker::time) : Optional.empty())
                .orElse(null);
        return new Trouble(verdict, text, since);
    }

    private Optional<RememberedFinding> known(Verdict verdict) {
        return memory.map(Remembered::findings).orElse(List.of()).stream()
                .filter(finding -> finding.verdict() == verdict)
                .findFirst();
    }

    private boolean exists() {
        try {
            return FileFacts.of(file) != null;
        } catch (IOException ex) {
            // That it cannot be told is for the check to say.
            return true;
        }
    }
}
