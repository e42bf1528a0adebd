package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.function.Executable;

/** What must not be named: health and the latch are polled all the while, so that not even a short false alarm goes unseen. */
final class Benign {

    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration AFTERWARDS = Duration.ofSeconds(2);

    private Benign() {}

    static void assertStaysHealthy(RunningGateway gateway, Executable act) throws Throwable {
        gateway.awaitHealthy();
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Thread watch = new Thread(() -> poll(gateway, seen), "verdict-watch");
        watch.start();
        try {
            act.execute();
            gateway.check("quick");
            gateway.check("full");
            gateway.check("quick");
            await().during(AFTERWARDS)
                    .atMost(AFTERWARDS.multipliedBy(2))
                    .untilAsserted(() -> assertThat(seen).containsExactly("HEALTHY"));
        } finally {
            watch.interrupt();
            watch.join();
        }
        assertNothingWasNamed(gateway);
    }

    /** What is counted and kept since the start of the gateway tells of a moment, too, in which nobody polled. */
    private static void assertNothingWasNamed(RunningGateway gateway) {
        for (String counted : new String[] {
            "sqlite_health_alarms_total", "sqlite_health_transients_total", "sqlite_health_inode_changes"
        }) {
            assertThat(gateway.metric(counted)).as(counted).hasValue(0);
        }
        assertThat(gateway.metric("sqlite_health_verdict", "verdict", "HEALTHY"))
                .hasValue(1);
        assertThat(gateway.forensics("/dataSource").path("incidents").valueStream())
                .isEmpty();
        assertThat(Evidence.snapshots(gateway)).as("those that were asked for").allSatisfy(entry -> {
            assertThat(entry.path("verdict").asString("")).isEqualTo("HEALTHY");
            assertThat(entry.has("incident")).isFalse();
        });
    }

    private static void poll(GatewayClient gateway, Set<String> seen) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                seen.add(gateway.verdict());
                double latched =
                        gateway.metric("sqlite_health_latch_duration_seconds").orElseThrow();
                if (latched != 0) {
                    seen.add("latched for " + latched + " s");
                }
            } catch (RuntimeException | AssertionError e) {
                if (!Thread.currentThread().isInterrupted()) {
                    seen.add("no answer: " + e);
                }
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }
}
