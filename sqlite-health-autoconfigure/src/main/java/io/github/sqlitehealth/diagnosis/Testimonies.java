package io.github.sqlitehealth.diagnosis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The latest testimonies on one database.
 *
 * @param identity of the last look; absent before the first
 * @param locks of the last look; absent before the first
 * @param quick of the last quick check; absent before the first
 * @param full of the last full check; absent before the first
 * @param writes on the application's statements; absent when nobody has asked
 * @param answered when a live connection was last able to answer, or a fresh one while there was no live one; before
 *     that, when the watching began
 * @param patience how long there may be no answer
 */
public record Testimonies(
        @Nullable Testimony identity,
        @Nullable Testimony locks,
        @Nullable Hearing quick,
        @Nullable Hearing full,
        @Nullable Testimony writes,
        Moment answered,
        Duration patience) {

    /** Nothing has been said yet. */
    public static Testimonies none(Moment began, Duration patience) {
        return new Testimonies(null, null, null, null, null, began, patience);
    }

    public Testimonies withIdentity(Testimony said) {
        return new Testimonies(said, locks, quick, full, writes, answered, patience);
    }

    public Testimonies withLocks(Testimony said) {
        return new Testimonies(identity, said, quick, full, writes, answered, patience);
    }

    public Testimonies withQuick(Hearing said) {
        return new Testimonies(identity, locks, said, full, writes, lastAnswer(said), patience);
    }

    /** Where the application holds no connection, there is none that keeps silent: the fresh one answers for all. */
    private Moment lastAnswer(Hearing said) {
        Testimony live = said.live();
        Testimony fresh = said.fresh();
        if (live != null && live.asked()) {
            return live.at();
        }
        boolean none = Hearing.because(live, Reason.NOT_YET);
        return none && fresh != null && fresh.asked() ? fresh.at() : answered;
    }

    public Testimonies withFull(Hearing said) {
        return new Testimonies(identity, locks, quick, said, writes, answered, patience);
    }

    public Testimonies withWrites(Testimony said) {
        return new Testimonies(identity, locks, quick, full, said, answered, patience);
    }

    /** Whether there has been no answer for too long. */
    boolean unanswered(Moment now) {
        return now.since(answered).compareTo(patience) > 0;
    }

    /** Whether nobody has looked at the files for too long. */
    boolean unwatched(Moment now) {
        return identity != null && now.since(identity.at()).compareTo(patience) > 0;
    }

    /** Whether the passing of time alone has become a sign of trouble. */
    public boolean silent(Moment now) {
        return unanswered(now) || unwatched(now);
    }

    /** There is nothing to ask yet, so that silence is no sign of trouble. */
    public Testimonies excused(Moment now) {
        return new Testimonies(identity, locks, quick, full, writes, now, patience);
    }
}
