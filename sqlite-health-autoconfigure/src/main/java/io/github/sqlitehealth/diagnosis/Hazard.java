package io.github.sqlitehealth.diagnosis;

/**
 * A condition that corrupts databases, or keeps their damage from being noticed, sooner or later; named before it does.
 *
 * @param name such as {@code hard-link}
 * @param text what is so and what to do about it, in one or two sentences
 */
public record Hazard(String name, String text) {}
