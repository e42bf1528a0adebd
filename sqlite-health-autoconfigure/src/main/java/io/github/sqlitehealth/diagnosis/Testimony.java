package io.github.sqlitehealth.diagnosis;

import java.time.Duration;

/**
 * What one witness said once.
 *
 * @param witness who was asked
 * @param check on which occasion
 * @param says the answer
 * @param reason why it is not simply {@link Answer#OK}
 * @param text the answer in words, for people; never parsed
 * @param at when the answer was given
 * @param took how long it took to give it
 */
public record Testimony(
        Witness witness, Check check, Answer says, Reason reason, String text, Moment at, Duration took) {

    public boolean ok() {
        return says == Answer.OK;
    }

    public boolean bad() {
        return says == Answer.BAD;
    }

    /** Whether the witness could be asked at all. */
    public boolean asked() {
        return says != Answer.UNASKED;
    }

    public boolean because(Reason other) {
        return reason == other;
    }
}
