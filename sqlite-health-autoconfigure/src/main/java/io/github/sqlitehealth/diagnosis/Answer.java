package io.github.sqlitehealth.diagnosis;

/** What a witness can say. */
public enum Answer {
    /** All is well, as far as this witness can see. */
    OK,
    /** A read failed and the same read, done again at once, passed. */
    TRANSIENT,
    /** Something is wrong. */
    BAD,
    /** The question could not be asked; {@link Reason} says why. This is never an all-clear. */
    UNASKED
}
