package io.github.sqlitehealth.recovery;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far the rows of a stranded process are saved, and what a graceful stop would do with them.
 *
 * @param freeze how many connections checkpoint no more; absent once the process is stranded no longer
 * @param copy the newest rescue copy, absent when there is none
 * @param coversAll whether the copy holds everything that has been committed until now
 * @param atStop what a graceful stop would do, absent once the process is stranded no longer
 * @param problem what could not be done and why, absent when nothing failed; in the end, what became of the rows
 */
public record RescueState(
        PooledPragma.@Nullable Coverage freeze,
        @Nullable RescueCopy copy,
        boolean coversAll,
        @Nullable AtStop atStop,
        @Nullable String problem) {

    /** As health, endpoint and snapshots show it. */
    public Map<String, Object> shown() {
        Map<String, Object> shown = new LinkedHashMap<>();
        if (freeze != null) {
            shown.put("frozen", freeze.covered());
            shown.put("connections", freeze.open());
        }
        if (copy != null) {
            shown.put("copy", copy.file().toString());
            shown.put("copyAt", copy.at().toString());
            shown.put("copyVerified", copy.verified());
            shown.put("copyCoversAll", coversAll);
        }
        if (atStop != null) {
            shown.put("atStop", atStop.key());
            shown.put("why", atStop.why());
        }
        if (problem != null) {
            shown.put(atStop == null ? "why" : "problem", problem);
        }
        return shown;
    }
}
