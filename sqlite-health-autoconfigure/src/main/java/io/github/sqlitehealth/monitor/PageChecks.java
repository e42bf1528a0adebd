package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Hearing;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.MonitorState.Pages;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.Said;
import io.github.sqlitehealth.witness.Timepiece;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two checks that read pages: whom they ask, in which order, and when evidence is taken. Identity is asked first,
 * always: what a connection says of a file that is not the one at the path is not about that file.
 */
final class PageChecks {

    private static final Logger log = LoggerFactory.getLogger(PageChecks.class);

    private final Settings settings;
    private final IdentityCheck identity;
    private final Readers readers;
    private final Anchor anchor;
    private final Ledger ledger;
    private final Desk desk;
    private final PageEvidence evidence;
    private final Timepiece time;

    private Moment fullDue;

    PageChecks(
            Settings settings,
            IdentityCheck identity,
            Readers readers,
            Anchor anchor,
            Ledger ledger,
            Desk desk,
            MonitorListener listener,
            Timepiece time) {
        this.settings = settings;
        this.identity = identity;
        this.readers = readers;
        this.anchor = anchor;
        this.ledger = ledger;
        this.desk = desk;
        this.evidence = new PageEvidence(identity, ledger, desk, listener);
        this.time = time;
        this.fullDue = time.now();
    }

    /** A quick check and, where only a full one can clear what holds, that one, too. */
    void quick() {
        if (!askQuick()) {
            return;
        }
        Hearing quick = ledger.state().said().quick();
        boolean passed = quick != null
                && passed(quick.fresh())
                && (passed(quick.live()) || ledger.state().latch().holds(Verdict.CONNECTION_CONFUSED))
                && ledger.state().latch().holds(Verdict.DAMAGED);
        if (passed && !fullDue.isAfter(time.now())) {
            full();
        }
    }

    /** A full check and, where damage was held and is not seen any more, the quick one that completes the all-clear. */
    void full() {
        boolean passed = askFull();
        if (passed && ledger.state().latch().holds(Verdict.DAMAGED)) {
            askQuick();
        }
    }

    /** @return whether anything could be asked */
    private boolean askQuick() {
        identity.lookNow();
        if (identity.nothingToAsk()) {
            return false;
        }
        Said first = readers.askLive();
        if (first.testimony().bad()) {
            evidence.badRead(first.testimony());
        }
        Said opinion = readers.askFresh(Check.QUICK, settings.quickTimeout());
        Said second = null;
        if (opinion.testimony().bad() && !first.testimony().bad()) {
            evidence.badRead(opinion.testimony());
            second = readers.askFresh(Check.QUICK, settings.quickTimeout());
        } else if (opinion.testimony().because(Reason.IO_ERROR)
                && !first.testimony().asked()) {
            // A pool whose connections all fail has none to spare: whether the error stays is for another one to say.
            second = readers.askFresh(Check.QUICK, settings.quickTimeout());
        }
        Testimony there = readers.askContent();
        Hearing hearing =
                new Hearing(first.testimony(), opinion.testimony(), second == null ? null : second.testimony(), there);
        evidence.heard(hearing);
        Moment now = time.now();
        Change change = ledger.heardQuick(hearing, pages(first, opinion), now);
        evidence.follow(change, Check.QUICK, now);
        if (passed(there)) {
            desk.rememberContent();
        }
        // Whoever stops this thread has closed the anchor, or is about to.
        if (!identity.stranded() && !Thread.currentThread().isInterrupted()) {
            anchor.open();
            if (settings.confusedEvict()) {
                replaceConfused(change.after().latch());
            }
        }
        return true;
    }

    private boolean askFull() {
        identity.lookNow();
        if (identity.nothingToAsk()) {
            return false;
        }
        Moment start = time.now();
        Said first = readers.askFresh(Check.FULL, settings.fullTimeout());
        Said second = null;
        if (first.testimony().bad()) {
            evidence.badRead(first.testimony());
            second = readers.askFresh(Check.FULL, settings.fullTimeout());
        }
        Hearing hearing = new Hearing(null, first.testimony(), second == null ? null : second.testimony(), null);
        evidence.heard(hearing);
        Moment now = time.now();
        fullDue = new Moment(
                now.at(), now.nanos() + settings.restAfter(now.since(start)).toNanos());
        Change change = ledger.heardFull(hearing, now);
        evidence.follow(change, Check.FULL, now);
        if (passed(first.testimony())) {
            desk.unmarkDamaged();
        }
        return passed(first.testimony());
    }

    /** The evidence has been taken. A damaged file would only be read by new connections, too. */
    private void replaceConfused(Latch latch) {
        if (latch.holds(Verdict.CONNECTION_CONFUSED) && !latch.holds(Verdict.DAMAGED)) {
            boolean possible = readers.replaceConnections();
            log.warn(
                    "A connection to {} is wrong about a healthy file; {}",
                    ledger.state().file(),
                    possible ? "the pool's connections are replaced" : "its DataSource cannot be told to replace it");
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
