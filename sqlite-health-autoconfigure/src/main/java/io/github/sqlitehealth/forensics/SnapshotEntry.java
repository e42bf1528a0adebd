package io.github.sqlitehealth.forensics;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a list of snapshots says of one.
 *
 * @param id names it within its database
 * @param at when it was taken
 * @param reason why it was taken
 * @param verdict what held then
 * @param incident the incident that it belongs to, absent when none was open
 */
public record SnapshotEntry(
        String id,
        Instant at,
        String reason,
        String verdict,
        @Nullable String incident) {

    public SnapshotEntry {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(verdict, "verdict");
    }
}
