package io.github.sqlitehealth.diagnosis;

/**
 * One verdict and what it rests on.
 *
 * @param verdict what is true
 * @param source the check that found it
 * @param confirmed whether a connection that did not produce the failure agrees; {@code true} where no second opinion
 *     is needed
 * @param text what the witness said
 * @param at when it said so
 */
public record Finding(Verdict verdict, Check source, boolean confirmed, String text, Moment at) {}
