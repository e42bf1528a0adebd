package io.github.sqlitehealth.diagnosis;

import org.jspecify.annotations.Nullable;

/**
 * What the reading witnesses said in one check.
 *
 * @param live the application's own connection; absent from a full check
 * @param fresh the first connection that was opened for the question
 * @param second another one, asked when the first failed and the live one had not
 * @param content what the remembered content looks like; absent where nobody asked
 */
public record Hearing(
        @Nullable Testimony live,
        @Nullable Testimony fresh,
        @Nullable Testimony second,
        @Nullable Testimony content) {

    static boolean ok(@Nullable Testimony testimony) {
        return testimony != null && testimony.ok();
    }

    static boolean bad(@Nullable Testimony testimony) {
        return testimony != null && testimony.bad();
    }

    static boolean because(@Nullable Testimony testimony, Reason reason) {
        return testimony != null && testimony.because(reason);
    }

    boolean liveOk() {
        return ok(live);
    }

    boolean freshOk() {
        return ok(fresh);
    }
}
