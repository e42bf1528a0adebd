package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import org.jspecify.annotations.Nullable;

/** What the checks of pages leave behind: who was heard, a snapshot where there is a reason for one, the marker of damage. */
final class PageEvidence {

    private static final int EACH_TRANSIENT = 10;

    private final IdentityCheck identity;
    private final Ledger ledger;
    private final Desk desk;
    private final MonitorListener listener;

    PageEvidence(IdentityCheck identity, Ledger ledger, Desk desk, MonitorListener listener) {
        this.identity = identity;
        this.ledger = ledger;
        this.desk = desk;
        this.listener = listener;
    }

    /** Evidence is taken before the next question can disturb it. */
    void badRead(Testimony said) {
        Latch latch = ledger.state().latch();
        boolean known = latch.holds(Verdict.DAMAGED) || latch.holds(Verdict.CONNECTION_CONFUSED);
        if (!known) {
            ledger.begin(said.at());
            desk.snapshot("bad-read", identity.last(), said);
        }
    }

    void heard(Hearing hearing) {
        String name = ledger.state().database();
        for (Testimony said : new Testimony[] {hearing.live(), hearing.fresh(), hearing.second(), hearing.content()}) {
            if (said != null) {
                listener.heard(name, said);
            }
        }
    }

    /** The check has come to its end. */
    void follow(Change change, Check check, Moment now) {
        desk.follow(change, identity.last(), now, reason(change, check));
        if (change.confirms(Verdict.DAMAGED, check)) {
            desk.markDamaged();
        }
    }

    private static @Nullable String reason(Change change, Check check) {
        if (change.confirms(Verdict.DAMAGED, check)) {
            return "confirmed";
        }
        if (!change.found().isEmpty()) {
            return "verdict";
        }
        long transients = change.after().counts().transients();
        boolean counted = transients != change.before().counts().transients();
        return counted && (transients == 1 || transients % EACH_TRANSIENT == 0) ? "transient" : null;
    }
}
