package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import org.jspecify.annotations.Nullable;

/**
 * What a database is like before this process uses or replaces it, and what it says of itself.
 *
 * @param state what it is like
 * @param condition the same in words
 * @param verdict that speaks against it; absent where none does, also where nobody could be asked, and where there is
 *     nothing in it and was not before
 * @param text why, in the words of the witness
 * @param passed whether the check of its pages has passed without reservation
 * @param applicationId absent when it cannot be told
 * @param userVersion absent when it cannot be told
 */
record PresentDatabase(
        State state,
        String condition,
        @Nullable Verdict verdict,
        String text,
        boolean passed,
        @Nullable Long applicationId,
        @Nullable Long userVersion) {

    static final String DIRECTORY = "is a directory: name the main file in it";

    /** One that says nothing of itself. */
    PresentDatabase(State state, String condition, @Nullable Verdict verdict, String text, boolean passed) {
        this(state, condition, verdict, text, passed, null, null);
    }

    /** What was created in the place of one that was emptied may not say yet what that said. */
    PresentDatabase saying(long id, long version) {
        boolean anew = state == State.EMPTIED;
        return new PresentDatabase(
                state, condition, verdict, text, passed, anew && id == 0 ? null : id, anew ? null : version);
    }
}
