package io.github.sqlitehealth.diagnosis;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Testimonies for a test, and the time at which they are given. */
final class Speech {

    static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    static final Duration PATIENCE = Duration.ofMinutes(30);

    private Speech() {}

    /** So many minutes after the watching began, by a clock that tells the truth. */
    static Moment minute(long minutes) {
        return new Moment(
                NOON.plus(Duration.ofMinutes(minutes)),
                Duration.ofMinutes(minutes).toNanos());
    }

    static Testimonies began() {
        return Testimonies.none(minute(0), PATIENCE);
    }

    static Testimony identity(Answer says, Reason reason, long minute) {
        return said(Witness.IDENTITY, Check.IDENTITY, says, reason, minute);
    }

    static Testimony live(Answer says, Reason reason, long minute) {
        return said(Witness.LIVE, Check.QUICK, says, reason, minute);
    }

    static Testimony liveOk(long minute) {
        return live(Answer.OK, Reason.NONE, minute);
    }

    static Testimony liveBad(long minute) {
        return live(Answer.BAD, Reason.CORRUPT, minute);
    }

    static Testimony fresh(Check check, Answer says, Reason reason, long minute) {
        return said(Witness.FRESH, check, says, reason, minute);
    }

    static Testimony freshOk(Check check, long minute) {
        return fresh(check, Answer.OK, Reason.NONE, minute);
    }

    static Testimony freshBad(Check check, long minute) {
        return fresh(check, Answer.BAD, Reason.CORRUPT, minute);
    }

    static Testimony freshUnasked(Check check, Reason reason, long minute) {
        return fresh(check, Answer.UNASKED, reason, minute);
    }

    static Testimony content(Answer says, long minute) {
        return said(Witness.CONTENT, Check.QUICK, says, says == Answer.BAD ? Reason.EMPTY : Reason.NONE, minute);
    }

    static Hearing quick(@Nullable Testimony live, @Nullable Testimony fresh) {
        return new Hearing(live, fresh, null, null);
    }

    static Hearing fullOk(long minute) {
        return new Hearing(null, freshOk(Check.FULL, minute), null, null);
    }

    static Hearing fullBad(long minute) {
        return new Hearing(null, freshBad(Check.FULL, minute), freshBad(Check.FULL, minute), null);
    }

    private static Testimony said(Witness witness, Check check, Answer says, Reason reason, long minute) {
        String text = witness.key() + " says " + says + " in minute " + minute;
        return new Testimony(witness, check, says, reason, text, minute(minute), Duration.ofMillis(5));
    }
}
