package io.github.sqlitehealth.diagnosis;

/**
 * A finding that the latch holds.
 *
 * @param finding as it was last found
 * @param since when it was first found
 */
public record Held(Finding finding, Moment since) {

    boolean isAbout(Finding other) {
        return finding.verdict() == other.verdict() && finding.source() == other.source();
    }
}
