package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Testimony;

/**
 * The testimony of a connection, and what that connection believed about its database.
 *
 * @param testimony what it said
 * @param facts its view, taken right after
 */
public record Said(Testimony testimony, Section<HandleFacts> facts) {}
