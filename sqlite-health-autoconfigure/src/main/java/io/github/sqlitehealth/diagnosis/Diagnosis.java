package io.github.sqlitehealth.diagnosis;

import static io.github.sqlitehealth.diagnosis.Hearing.because;
import static io.github.sqlitehealth.diagnosis.Hearing.ok;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From the latest testimonies to what is true: the table of the verdicts, nothing else.
 *
 * <pre>
 * identity BAD: a held file is not the file at its path       STRANDED
 * identity BAD: no file and nothing held                      MISSING
 * live BAD,     fresh BAD                                     DAMAGED, confirmed
 * live BAD,     fresh UNASKED                                 DAMAGED, not confirmed
 * live BAD,     fresh OK                                      CONNECTION_CONFUSED
 * fresh BAD,    second BAD                                    DAMAGED, confirmed
 * fresh BAD,    second UNASKED                                DAMAGED, not confirmed
 * fresh BAD,    second OK                                     SUSPECT
 * live TRANSIENT                                              SUSPECT
 * live and fresh fail with I/O errors                         UNREADABLE
 * live UNASKED, fresh and second fail with I/O errors         UNREADABLE
 * content BAD                                                 EMPTIED
 * writes BAD                                                  WRITES_FAILING
 * locks BAD                                                   LOCKS_LOST
 * no live answer, or no look, for longer than patience        UNVERIFIED
 * </pre>
 */
public final class Diagnosis {

    private Diagnosis() {}

    /** All verdicts that follow from the testimonies, in order of precedence; empty when all is well. */
    public static List<Finding> of(Testimonies said, Moment now) {
        List<Finding> findings = new ArrayList<>();
        identity(said.identity(), findings);
        reads(said.quick(), findings);
        reads(said.full(), findings);
        bad(said.writes(), Verdict.WRITES_FAILING, findings);
        bad(said.locks(), Verdict.LOCKS_LOST, findings);
        silence(said, now, findings);
        findings.sort(Comparator.comparing(Finding::verdict));
        return List.copyOf(findings);
    }

    private static void identity(@Nullable Testimony identity, List<Finding> findings) {
        if (identity == null || !identity.bad()) {
            return;
        }
        add(findings, identity.because(Reason.NO_FILE) ? Verdict.MISSING : Verdict.STRANDED, true, identity);
    }

    private static void reads(@Nullable Hearing hearing, List<Finding> findings) {
        if (hearing == null) {
            return;
        }
        Testimony live = hearing.live();
        Testimony fresh = hearing.fresh();
        if (live != null && live.bad()) {
            failed(live, fresh, Verdict.CONNECTION_CONFUSED, findings);
        } else if (fresh != null && fresh.bad()) {
            failed(fresh, hearing.second(), Verdict.SUSPECT, findings);
        } else if (live != null && live.says() == Answer.TRANSIENT) {
            add(findings, Verdict.SUSPECT, true, live);
        }
        unreadable(hearing, findings);
        bad(hearing.content(), Verdict.EMPTIED, findings);
    }

    private static void bad(@Nullable Testimony testimony, Verdict verdict, List<Finding> findings) {
        if (testimony != null && testimony.bad()) {
            add(findings, verdict, true, testimony);
        }
    }

    /** What a live connection can read is readable, whatever befalls new ones. */
    private static void unreadable(Hearing hearing, List<Finding> findings) {
        Testimony live = hearing.live();
        Testimony fresh = hearing.fresh();
        boolean liveAnswers = live != null && live.asked();
        boolean both = because(live, Reason.IO_ERROR) || because(hearing.second(), Reason.IO_ERROR);
        if (fresh != null && because(fresh, Reason.IO_ERROR) && both && !liveAnswers) {
            add(findings, Verdict.UNREADABLE, true, fresh);
        }
    }

    /** A second opinion can acquit the file; one that cannot be asked leaves the accusation as it stands. */
    private static void failed(
            Testimony first, @Nullable Testimony opinion, Verdict ifAcquitted, List<Finding> findings) {
        if (ok(opinion)) {
            add(findings, ifAcquitted, true, first);
        } else {
            add(findings, Verdict.DAMAGED, Hearing.bad(opinion), first);
        }
    }

    private static void silence(Testimonies said, Moment now, List<Finding> findings) {
        Testimony identity = said.identity();
        if (said.unanswered(now)) {
            Testimony live = said.quick() == null ? null : said.quick().live();
            String why = live != null && !live.asked() ? live.text() : "no check has come to an end";
            findings.add(new Finding(Verdict.UNVERIFIED, Check.QUICK, true, why, said.answered()));
        } else if (identity != null && said.unwatched(now)) {
            String why = "the watch has not looked at the files";
            findings.add(new Finding(Verdict.UNVERIFIED, Check.IDENTITY, true, why, identity.at()));
        }
    }

    private static void add(List<Finding> findings, Verdict verdict, boolean confirmed, Testimony said) {
        findings.add(new Finding(verdict, said.check(), confirmed, said.text(), said.at()));
    }
}
