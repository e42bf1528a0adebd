package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Finding;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Moment;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One line of an alarm.
 *
 * @param at when it was said
 * @param occasion why it was said
 * @param held what it says
 */
record AlarmLine(Instant at, Occasion occasion, Held held) {

    /** Why an alarm speaks. */
    enum Occasion {
        FIRST,
        CHANGED,
        REPEATED,
        RELEASED
    }

    /** The line as it stands in the log, complete in itself: the logs of an incident are read line by line. */
    String text(String database, Path file, Moment now) {
        Finding finding = held.finding();
        String verdict = occasion == Occasion.RELEASED
                ? finding.verdict() + " is over"
                : finding.verdict().name();
        return at + " sqlite-health: " + verdict + " [" + database + "] since "
                + held.since().at() + " ("
                + now.since(held.since()).truncatedTo(ChronoUnit.SECONDS) + "), found by the "
                + finding.source().key() + " check"
                + (finding.confirmed() ? "" : ", not confirmed") + ": " + finding.text() + "; file " + file
                + (occasion == Occasion.RELEASED
                        ? ""
                        : "; what to do: " + finding.verdict().action());
    }
}
