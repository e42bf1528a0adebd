package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the connections of one round said together. */
final class LiveRound {

    /** Who has nobody to spare may have nobody open, either. */
    static final Reading NONE_TO_SPARE = Reading.unasked(Reason.NO_CONNECTION, "the pool has no connection to spare");

    private @Nullable Reading bad;
    private @Nullable Reading ok;
    private @Nullable Reading unasked;
    private boolean transients;
    private String firstFailure = "";
    private Section<HandleFacts> facts = Section.missing("no connection could be asked");

    void add(LiveRead.Result result) {
        Reading reading = result.reading();
        if (result.firstFailure() != null) {
            transients = true;
            firstFailure = result.firstFailure();
        }
        if (reading.bad()) {
            bad = reading;
            facts = result.facts();
        } else if (reading.ok()) {
            ok = reading;
            facts = bad == null && !unsafe() ? result.facts() : facts;
        } else {
            unasked = error() == null ? reading : unasked;
            facts = bad == null && ok == null ? result.facts() : facts;
        }
    }

    /** One connection that risks the file is worth more words than all others that do not. */
    private boolean unsafe() {
        return facts.value() != null && facts.value().unsafe();
    }

    /** An I/O error that has stayed through the re-reads. */
    private @Nullable Reading error() {
        return unasked != null && unasked.because(Reason.IO_ERROR) ? unasked : null;
    }

    Reading result(Set<String> failing) {
        if (bad != null) {
            return bad;
        }
        if (!failing.isEmpty()) {
            return Reading.unasked(
                    Reason.NO_CONNECTION, "a connection that has failed is in use and could not be asked again");
        }
        Reading error = error();
        if (error != null) {
            // Others may have every page in their cache.
            return error;
        }
        if (ok != null) {
            return ok;
        }
        return unasked != null ? unasked : NONE_TO_SPARE;
    }

    /**
     * The testimony.
     *
     * @param reading which the round comes to
     */
    Said said(Reading reading, Moment start, Moment end) {
        boolean passedAgain = transients && reading.ok();
        return new Said(
                new Testimony(
                        Witness.LIVE,
                        Check.QUICK,
                        passedAgain ? Answer.TRANSIENT : reading.says(),
                        passedAgain ? Reason.CORRUPT : reading.reason(),
                        passedAgain ? firstFailure : reading.text(),
                        end,
                        end.since(start)),
                facts);
    }
}
