package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.Anchor;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A copy of what a stranded process sees.
 *
 * @param file where it is
 * @param at when the copying began: it holds everything that was committed until then
 * @param seen what the anchor saw at that time
 * @param verified whether it has passed a full check
 * @param check what the check said of it
 */
public record RescueCopy(Path file, Instant at, Anchor.Seen seen, boolean verified, String check) {}
