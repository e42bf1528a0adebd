package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * What one piece of news changed.
 *
 * @param before the state that was published before
 * @param after the state that is published now
 * @param lines what the alarm has to say
 */
record Change(MonitorState before, MonitorState after, List<AlarmLine> lines) {

    boolean ofVerdict() {
        return before.verdict() != after.verdict();
    }

    /** Whether something has to be remembered by the next process: that the same was found again has not. */
    boolean worthKeeping() {
        boolean quiet = before.latch() == Latch.OPEN && after.latch() == Latch.OPEN;
        if (quiet && before.counts().transients() == after.counts().transients()) {
            return false;
        }
        return !Recalled.remember(before, Optional.empty(), null)
                .equals(Recalled.remember(after, Optional.empty(), null));
    }

    /** What holds now and did not before. */
    List<Held> found() {
        return after.latch().held().stream()
                .filter(now -> now.finding().verdict().latches())
                .filter(now -> before.latch().held().stream().noneMatch(then -> same(then, now)))
                .toList();
    }

    private static boolean same(Held one, Held other) {
        return one.finding().verdict() == other.finding().verdict()
                && one.finding().source() == other.finding().source();
    }

    /** Whether this check found it, again or for the first time, confirmed. */
    boolean confirms(Verdict verdict, Check check) {
        return after.latch().held().stream()
                // One that is held, but not found again, is as it was.
                .filter(held -> !before.latch().held().contains(held))
                .map(Held::finding)
                .anyMatch(finding -> finding.verdict() == verdict && finding.source() == check && finding.confirmed());
    }
}
