package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The incidents of one database.
 *
 * @param open the one that goes on, absent when none does
 * @param ended the newest ones that have ended, oldest first
 */
record Incidents(@Nullable Incident open, List<Incident> ended) {

    private static final int MOST = 50;

    static final Incidents NONE = new Incidents(null, List.of());

    static Incidents of(@Nullable Incident open, List<Incident> ended) {
        return open == null && ended.isEmpty() ? NONE : new Incidents(open, ended);
    }

    /** One begins with the first testimony that is not OK, before it is known what it amounts to. */
    Incidents begun(Moment at) {
        return open != null
                ? this
                : new Incidents(
                        new Incident("incident-" + at.at().toString().replace(":", ""), at.at(), null, List.of()),
                        ended);
    }

    /**
     * What they are after something was heard.
     *
     * @param judged whether a check has come to its end, and with it an incident that has no verdict yet
     */
    Incidents after(Latch latch, Moment now, boolean judged) {
        if (latch.latched()) {
            return continued(latch, now);
        }
        return open != null && (judged || !open.verdicts().isEmpty()) ? ended(open, now) : this;
    }

    private Incidents continued(Latch latch, Moment now) {
        Moment since =
                latch.held().stream().map(Held::since).reduce(now, (one, other) -> one.isAfter(other) ? other : one);
        Incident present = begun(since).open;
        if (present == null) {
            return this;
        }
        List<String> verdicts = new ArrayList<>(present.verdicts());
        for (Held held : latch.held()) {
            String verdict = held.finding().verdict().name();
            if (held.finding().verdict().latches() && !verdicts.contains(verdict)) {
                verdicts.add(verdict);
            }
        }
        return new Incidents(new Incident(present.id(), present.since(), null, List.copyOf(verdicts)), ended);
    }

    private Incidents ended(Incident present, Moment now) {
        List<Incident> all = new ArrayList<>(ended);
        // One that never came to a verdict was a false start.
        if (!present.verdicts().isEmpty()) {
            all.add(new Incident(present.id(), present.since(), now.at(), present.verdicts()));
        }
        return of(null, List.copyOf(all.subList(Math.max(0, all.size() - MOST), all.size())));
    }
}
