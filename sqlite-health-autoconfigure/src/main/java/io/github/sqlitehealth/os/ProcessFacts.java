package io.github.sqlitehealth.os;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.time.Duration;
import java.time.Instant;

/**
 * This process.
 *
 * @param pid its number
 * @param uptime how long it has been running, by a ticker that does not jump
 * @param started when it was started, by the clock of that moment
 */
public record ProcessFacts(long pid, Duration uptime, Instant started) {

    /** As of now. */
    public static ProcessFacts current() {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        return new ProcessFacts(
                ProcessHandle.current().pid(),
                Duration.ofMillis(runtime.getUptime()),
                Instant.ofEpochMilli(runtime.getStartTime()));
    }
}
