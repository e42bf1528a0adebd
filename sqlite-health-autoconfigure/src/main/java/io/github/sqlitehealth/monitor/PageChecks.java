package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.LiveWitness;
import io.github.sqlitehealth.witness.Said;
import io.github.sqlitehealth.witness.Section;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The two checks that read pages: whom they ask, in which order, and when evidence is taken. Identity is asked first,
 * always: what a connection says of a file that is not the one at the path is not about that file.
 */
final class PageChecks {

    private static final int EACH_TRANSIENT = 10;

    private final Settings settings;
    private final IdentityCheck identity;
    private final LiveWitness live;
    private final FreshWitness fresh;
    private final ContentWitness content;
    private final Anchor anchor;
    private final Ledger ledger;
    private final Desk desk;
    private final MonitorListener listener;
    private final Timepiece time;

    private Moment fullDue;

    PageChecks(
            Settings settings,
            IdentityCheck identity,
            LiveWitness live,
            FreshWitness fresh,
            ContentWitness content,
            Anchor anchor,
            Ledger ledger,
            Desk desk,
            MonitorListener listener,
            Timepiece time) {
        this.settings = settings;
        this.identity = identity;
        this.live = live;
        this.fresh = fresh;
        this.content = content;
        this.anchor = anchor;
        this.ledger = ledger;
        this.desk = desk;
        this.listener = listener;
        this.time = time;
        this.fullDue = time.now();
    }

    /** A quick check and, where only a full one can clear what holds, that one, too. */
    void quick() throws InterruptedException {
        if (!askQuick()) {
            return;
        }
        Hearing quick = ledger.state().said().quick();
        boolean passed = quick != null
                && passed(quick.live())
                && passed(quick.fresh())
                && ledger.state().latch().holds(Verdict.DAMAGED);
        if (passed && !fullDue.isAfter(time.now())) {
            full();
        }
    }

    /** A full check and, where damage was held and is not seen any more, the quick one that completes the all-clear. */
    void full() throws InterruptedException {
        boolean passed = askFull();
        if (passed && ledger.state().latch().holds(Verdict.DAMAGED)) {
            askQuick();
        }
    }

    /** @return whether anything could be asked */
    private boolean askQuick() throws InterruptedException {
        identity.lookNow();
        if (identity.nothingToAsk()) {
            return false;
        }
        Said first = live.ask();
        desk.facts(first.facts(), null);
        if (first.testimony().bad()) {
            badRead(first.testimony());
        }
        Said opinion = askFresh(Check.QUICK, settings.quickTimeout());
        Said second = null;
        if (opinion.testimony().bad() && !first.testimony().bad()) {
            badRead(opinion.testimony());
            second = askFresh(Check.QUICK, settings.quickTimeout());
        } else if (opinion.testimony().because(Reason.IO_ERROR)
                && !first.testimony().asked()) {
            // A pool whose connections all fail has none to spare: whether the error stays is for another one to say.
            second = askFresh(Check.QUICK, settings.quickTimeout());
        }
        Testimony there = identity.stranded() ? null : content.ask();
        Hearing hearing =
                new Hearing(first.testimony(), opinion.testimony(), second == null ? null : second.testimony(), there);
        tell(hearing);
        Moment now = time.now();
        Change change = ledger.heardQuick(hearing, pages(first, opinion), now);
        desk.follow(change, identity.last(), now, reason(change, Check.QUICK));
        if (passed(there) && change.before().said().quick() == null) {
            desk.remember();
        }
        // Whoever stops this thread has closed the anchor, or is about to.
        if (!identity.stranded() && !Thread.currentThread().isInterrupted()) {
            anchor.open();
        }
        return true;
    }

    private boolean askFull() throws InterruptedException {
        identity.lookNow();
        if (identity.nothingToAsk()) {
            return false;
        }
        Moment start = time.now();
        Said first = askFresh(Check.FULL, settings.fullTimeout());
        Said second = null;
        if (first.testimony().bad()) {
            badRead(first.testimony());
            second = askFresh(Check.FULL, settings.fullTimeout());
        }
        Hearing hearing = new Hearing(null, first.testimony(), second == null ? null : second.testimony(), null);
        tell(hearing);
        Moment now = time.now();
        fullDue = new Moment(
                now.at(),
                now.nanos()
                        + settings.restAfter(now.since(start), Duration.ZERO).toNanos());
        Change change = ledger.heardFull(hearing, now);
        desk.follow(change, identity.last(), now, reason(change, Check.FULL));
        return passed(first.testimony());
    }

    /** A new connection of a stranded process is no second opinion; one that was asked while the files were swapped neither. */
    private Said askFresh(Check check, Duration limit) throws InterruptedException {
        if (!identity.stranded()) {
            Said said = fresh.ask(check, live.bearable(), limit);
            desk.facts(null, said.facts());
            if (!said.testimony().bad()) {
                return said;
            }
            identity.lookNow();
            if (!identity.stranded()) {
                return said;
            }
        }
        String why = "a new connection of a stranded process is not independent of the old ones";
        Testimony unasked =
                new Testimony(Witness.FRESH, check, Answer.UNASKED, Reason.STALE_FILES, why, time.now(), Duration.ZERO);
        return new Said(unasked, Section.missing(why));
    }

    /** Evidence is taken before the next question can disturb it. */
    private void badRead(Testimony said) {
        Latch latch = ledger.state().latch();
        boolean known = latch.holds(Verdict.DAMAGED) || latch.holds(Verdict.CONNECTION_CONFUSED);
        if (!known) {
            ledger.begin(said.at());
            desk.snapshot("bad-read", identity.last());
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

    private void tell(Hearing hearing) {
        String name = ledger.state().database();
        for (Testimony said : new Testimony[] {hearing.live(), hearing.fresh(), hearing.second(), hearing.content()}) {
            if (said != null) {
                listener.heard(name, said);
            }
        }
    }

    private static boolean passed(@Nullable Testimony said) {
        return said != null && said.ok();
    }

    /** The application's connection knows the WAL best; a fresh one will do. */
    private static @Nullable Pages pages(Said live, Said fresh) {
        HandleFacts facts = live.facts().value() != null
                ? live.facts().value()
                : fresh.facts().value();
        return facts == null ? null : new Pages(facts.pageCount(), facts.freelistCount());
    }
}
