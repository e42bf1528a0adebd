package io.github.sqlitehealth.witness;

import org.jspecify.annotations.Nullable;

/**
 * One piece of evidence, or why it could not be had. Each piece is taken on its own, so that the one that fails costs
 * none of the others.
 *
 * @param value the evidence, absent when it could not be had
 * @param error why not, absent otherwise
 */
public record Section<T>(@Nullable T value, @Nullable String error) {

    /** Takes a piece of evidence and keeps the failure in its place. */
    public static <T> Section<T> of(Source<T> source) {
        try {
            return new Section<>(source.take(), null);
        } catch (Exception | LinkageError ex) {
            return failed(ex);
        }
    }

    public static <T> Section<T> failed(Throwable failure) {
        String message = failure.getMessage();
        return missing(failure.getClass().getSimpleName() + (message == null ? "" : ": " + Brief.of(message)));
    }

    public static <T> Section<T> missing(String why) {
        return new Section<>(null, why);
    }

    /** Where evidence comes from. */
    @FunctionalInterface
    public interface Source<T> {
        T take() throws Exception;
    }
}
