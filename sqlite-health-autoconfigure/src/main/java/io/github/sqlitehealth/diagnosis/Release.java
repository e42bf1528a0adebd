package io.github.sqlitehealth.diagnosis;

import static io.github.sqlitehealth.diagnosis.Hearing.because;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** When a verdict that is no longer found may be let go. */
final class Release {

    private Release() {}

    static boolean of(Finding finding, Testimonies said, List<Finding> found) {
        return switch (finding.verdict()) {
            case STRANDED -> nothingStale(said.identity());
            case MISSING -> said.identity() != null && said.identity().asked();
            case DAMAGED -> undamaged(finding, said, found);
            case UNREADABLE -> readable(said.quick(), finding);
            case EMPTIED -> contentIsBack(said, finding);
            // The connection is no longer confused about a healthy file when it passes, and neither when the file
            // turned
            // out to be damaged.
            case CONNECTION_CONFUSED -> livePassed(said, finding.at()) || holds(found, Verdict.DAMAGED);
            case WRITES_FAILING -> passedAfter(said.writes(), finding.at());
            case LOCKS_LOST -> passedAfter(said.locks(), finding.at());
            case UNVERIFIED, SUSPECT, HEALTHY -> true;
        };
    }

    private static boolean nothingStale(@Nullable Testimony identity) {
        return identity != null && (identity.ok() || identity.because(Reason.NO_FILE));
    }

    /**
     * A quick check that passes clears nothing: it looks at less than what failed. A full check must pass on a fresh
     * connection and, after it, a quick one on the live connection. Where the live one goes on failing while fresh ones
     * find the file sound, it is the connection that is wrong by now: to go on saying "restore" would cost good rows.
     * Where what used to be there is gone, a check that passes is about another file, or another life of it.
     */
    private static boolean undamaged(Finding finding, Testimonies said, List<Finding> found) {
        if (said.quick() != null && Hearing.bad(said.quick().content())) {
            return false;
        }
        Testimony full = said.full() == null ? null : said.full().fresh();
        if (full == null || !full.ok() || !full.at().isAfter(finding.at())) {
            return false;
        }
        return livePassed(said, full.at()) || holds(found, Verdict.CONNECTION_CONFUSED);
    }

    private static boolean livePassed(Testimonies said, Moment after) {
        Testimony live = said.quick() == null ? null : said.quick().live();
        return live != null && live.ok() && live.at().isAfter(after);
    }

    private static boolean readable(@Nullable Hearing quick, Finding finding) {
        if (quick == null || because(quick.live(), Reason.IO_ERROR) || because(quick.fresh(), Reason.IO_ERROR)) {
            return false;
        }
        return passedAfter(quick.live(), finding.at()) || passedAfter(quick.fresh(), finding.at());
    }

    private static boolean contentIsBack(Testimonies said, Finding finding) {
        return said.quick() != null && passedAfter(said.quick().content(), finding.at());
    }

    private static boolean passedAfter(@Nullable Testimony testimony, Moment moment) {
        return testimony != null && testimony.ok() && testimony.at().isAfter(moment);
    }

    private static boolean holds(List<Finding> found, Verdict verdict) {
        return found.stream().anyMatch(finding -> finding.verdict() == verdict);
    }
}
