package io.github.sqlitehealth.diagnosis;

/**
 * A condition that corrupts databases, or keeps their damage from being noticed, sooner or later; named before it does.
 * It changes neither verdict nor status.
 *
 * @param name such as {@code hard-link}
 * @param text what is so and what to do about it, in one or two sentences
 */
public record Hazard(String name, String text) {

    /**
     * A hazard with the advice of its kind.
     *
     * @param fact what is so, with the figures
     */
    public static Hazard of(HazardKind kind, String fact) {
        return new Hazard(kind.key(), fact + "; what to do: " + kind.action());
    }

    /** Whether the other one is the same hazard, whatever its text says now. */
    public boolean sameAs(Hazard other) {
        return name.equals(other.name);
    }
}
