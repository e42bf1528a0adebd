package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Finding;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.witness.Content;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier process left to this one: an open incident goes on, its clock included.
 *
 * @param latch what held
 * @param incident the open one, absent when none was
 * @param incidents those that had ended
 * @param content what should be there
 * @param transients failed reads that had passed when done again
 * @param fullCheckDue when all pages are to be read again, absent when no earlier process has said
 * @param known whether there was an earlier process at all
 */
record Recalled(
        Latch latch,
        @Nullable Incident incident,
        List<Incident> incidents,
        Optional<Content> content,
        long transients,
        @Nullable Instant fullCheckDue,
        boolean known) {

    static Recalled of(Optional<Remembered> memory, Moment now) {
        return memory.map(remembered -> of(remembered, now))
                .orElseGet(() -> new Recalled(Latch.OPEN, null, List.of(), Optional.empty(), 0, null, false));
    }

    private static Recalled of(Remembered remembered, Moment now) {
        List<Held> held = new ArrayList<>();
        for (RememberedFinding finding : remembered.findings()) {
            held.add(held(finding, now));
        }
        held.sort(Comparator.comparing(entry -> entry.finding().verdict()));
        return new Recalled(
                new Latch(held),
                held.isEmpty() ? null : remembered.incident(),
                remembered.incidents(),
                Optional.ofNullable(remembered.content()),
                remembered.transients(),
                remembered.fullCheckDue(),
                true);
    }

    private static Held held(RememberedFinding finding, Moment now) {
        Moment since = now.recall(finding.since());
        return new Held(
                new Finding(finding.verdict(), finding.source(), finding.confirmed(), finding.text(), since), since);
    }

    /** What is written down of a state. */
    static Remembered remember(MonitorState state, Optional<Content> content, @Nullable Instant fullCheckDue) {
        List<RememberedFinding> findings = state.latch().held().stream()
                .filter(held -> held.finding().verdict().latches())
                .map(held -> new RememberedFinding(
                        held.finding().verdict(),
                        held.finding().source(),
                        held.finding().confirmed(),
                        held.finding().text(),
                        held.since().at()))
                .toList();
        return new Remembered(
                state.file().toString(),
                state.incident(),
                findings,
                state.incidents(),
                content.orElse(null),
                state.counts().transients(),
                fullCheckDue);
    }
}
