package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a verdict that holds is spoken of: on the first failure, whenever its text changes, else once an interval,
 * and when it ends. From the log, a latch that is silent looks exactly like a monitor that is dead. Each source has a
 * throttle of its own. Not thread-safe.
 */
final class Alarm {

    private final Duration repeatInterval;
    private final Map<Key, Spoken> spoken = new HashMap<>();

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
        latch.held().forEach(held -> spoken.put(Key.of(held), new Spoken(held, due)));
    }

    /** What is to be said now. */
    List<AlarmLine> listen(Latch latch, Moment now) {
        List<AlarmLine> lines = new ArrayList<>();
        Set<Key> holding = new HashSet<>();
        for (Held held : latch.held()) {
            if (held.finding().verdict().latches()) {
                Key key = Key.of(held);
                holding.add(key);
                AlarmLine.Occasion occasion = occasion(spoken.get(key), held, now);
                if (occasion != null && isNews(held, latch)) {
                    lines.add(new AlarmLine(now.at(), occasion, held));
                    spoken.put(key, new Spoken(held, now));
                }
            }
        }
        spoken.entrySet().removeIf(entry -> {
            boolean over = !holding.contains(entry.getKey());
            if (over) {
                lines.add(new AlarmLine(
                        now.at(), AlarmLine.Occasion.RELEASED, entry.getValue().held()));
            }
            return over;
        });
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
