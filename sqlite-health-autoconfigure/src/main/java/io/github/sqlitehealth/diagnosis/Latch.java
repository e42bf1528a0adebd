package io.github.sqlitehealth.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds, and since when. A verdict that latches stays until its own release rule is met: that its witness stopped
 * complaining is not enough.
 *
 * @param held what holds, in order of precedence; one entry a verdict and source
 */
public record Latch(List<Held> held) {

    /** Nothing is held. */
    public static final Latch OPEN = new Latch(List.of());

    public Latch {
        held = List.copyOf(held);
    }

    /** What holds after these testimonies. */
    public Latch next(Testimonies said, Moment now) {
        List<Finding> found = Diagnosis.of(said, now);
        if (found.isEmpty() && held.isEmpty()) {
            return OPEN;
        }
        List<Held> next = new ArrayList<>();
        for (Finding finding : found) {
            Held before = find(finding);
            next.add(new Held(finding, before == null ? finding.at() : before.since()));
        }
        for (Held before : held) {
            boolean foundAgain = found.stream().anyMatch(before::isAbout);
            if (!foundAgain && before.finding().verdict().latches() && !Release.of(before.finding(), said, found)) {
                next.add(before);
            }
        }
        next.sort(Comparator.comparing(entry -> entry.finding().verdict()));
        return new Latch(next);
    }

    /** The first in precedence. */
    public Verdict verdict() {
        return held.isEmpty() ? Verdict.HEALTHY : held.get(0).finding().verdict();
    }

    /** The entry behind {@link #verdict()}, absent when nothing holds. */
    public @Nullable Held first() {
        return held.isEmpty() ? null : held.get(0);
    }

    /** Whether this verdict is among those that hold. */
    public boolean holds(Verdict verdict) {
        return held.stream().anyMatch(entry -> entry.finding().verdict() == verdict);
    }

    /** Whether anything holds that latches: an incident is open. */
    public boolean latched() {
        return held.stream().anyMatch(entry -> entry.finding().verdict().latches());
    }

    private @Nullable Held find(Finding finding) {
        return held.stream().filter(entry -> entry.isAbout(finding)).findFirst().orElse(null);
    }
}
