package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a verdict that holds is spoken of: on the first failure, whenever its text changes, else once an interval,
 * and when it ends. From the log, a latch that is silent looks exactly like a monitor that is dead. Each source has a
 * throttle of its own. Not thread-safe.
 */
final class Alarm {

    private final Duration repeatInterval;
    private Map<Key, Spoken> spoken = Map.of();

    Alarm(Duration repeatInterval) {
        this.repeatInterval = repeatInterval;
    }

    private record Key(Verdict verdict, Check source) {

        static Key of(Held held) {
            return new Key(held.finding().verdict(), held.finding().source());
        }
    }

    private record Spoken(Held held, Moment at) {}

    /** What an earlier process said last: it is due again if it still holds, and its end is told if it does not. */
    void recall(Latch latch, Moment now) {
        Moment due = new Moment(now.at(), now.nanos() - repeatInterval.toNanos());
        Map<Key, Spoken> recalled = new HashMap<>();
        latch.held().forEach(held -> recalled.put(Key.of(held), new Spoken(held, due)));
        spoken = Map.copyOf(recalled);
    }

    /** What is to be said now. */
    List<AlarmLine> listen(Latch latch, Moment now) {
        if (spoken.isEmpty() && !latch.latched()) {
            return List.of();
        }
        List<AlarmLine> lines = new ArrayList<>();
        Map<Key, Spoken> over = new HashMap<>(spoken);
        Map<Key, Spoken> next = new HashMap<>();
        for (Held held : latch.held()) {
            if (held.finding().verdict().latches()) {
                Key key = Key.of(held);
                Spoken before = over.remove(key);
                AlarmLine.Occasion occasion = occasion(before, held, now);
                if (occasion != null && isNews(held, latch)) {
                    lines.add(new AlarmLine(now.at(), occasion, held));
                    next.put(key, new Spoken(held, now));
                } else if (before != null) {
                    next.put(key, before);
                }
            }
        }
        over.values().forEach(ended -> lines.add(new AlarmLine(now.at(), AlarmLine.Occasion.RELEASED, ended.held())));
        spoken = Map.copyOf(next);
        return lines;
    }

    /** That nothing could be asked is worth a line only where nothing worse is known, which goes on speaking. */
    private static boolean isNews(Held held, Latch latch) {
        return held.finding().verdict() != Verdict.UNVERIFIED || latch.verdict() == Verdict.UNVERIFIED;
    }

    private AlarmLine.@Nullable Occasion occasion(@Nullable Spoken last, Held held, Moment now) {
        if (last == null) {
            return AlarmLine.Occasion.FIRST;
        }
        boolean sameText = last.held().finding().text().equals(held.finding().text())
                && last.held().finding().confirmed() == held.finding().confirmed();
        if (!sameText) {
            return AlarmLine.Occasion.CHANGED;
        }
        return now.since(last.at()).compareTo(repeatInterval) >= 0 ? AlarmLine.Occasion.REPEATED : null;
    }
}
