package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;
import tools.jackson.databind.JsonNode;

/** What must not be named: health and the latch are polled all the while, so that not even a short false alarm goes unseen. */
final class Benign {

    /** What is off until an application asks for it. */
    static final String[] EVERY_WITNESS = {
        "--sqlite.health.confused.evict=true",
        "--sqlite.health.content.required-tables=messages",
        "--sqlite.health.full-check.derived-indexes=messages_fts"
    };

    private static final String ROW_FLOOR = "--sqlite.health.content.row-floors.messages=1";

    /** Not of the gateway: they come from the machine that the test runs on, and from those who act outside. */
    private static final Set<String> HAZARDS_OF_OTHERS = Set.of("disk-space", "foreign-holder");

    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration AFTERWARDS = Duration.ofSeconds(2);

    private Benign() {}

    /** A gateway with every witness on, and a message that must never be missed once it was there. */
    static RunningGateway start(Path folder, String database, String... options) {
        return RunningGateway.start(folder, database, watched(options));
    }

    /** These options, and those for every witness. */
    static String[] watched(String... options) {
        return Stream.of(EVERY_WITNESS, new String[] {ROW_FLOOR}, options)
                .flatMap(Stream::of)
                .toArray(String[]::new);
    }

    static void assertStaysHealthy(RunningGateway gateway, Executable act) throws Throwable {
        assertStaysHealthy(gateway, Set.of(), act);
    }

    /** @param mayBeUnasked witnesses for whom there may be nobody to ask in the end; all others must say OK */
    static void assertStaysHealthy(RunningGateway gateway, Set<String> mayBeUnasked, Executable act) throws Throwable {
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
        assertHeard(gateway, mayBeUnasked);
    }

    private static void assertHeard(RunningGateway gateway, Set<String> mayBeUnasked) {
        JsonNode details = gateway.health().path("details");
        assertThat(details.path("witnesses").propertyNames())
                .containsExactlyInAnyOrder("identity", "locks", "live", "fresh", "content", "writes");
        details.path("witnesses")
                .forEachEntry((witness, said) -> assertThat(said.path("says").asString(""))
                        .as("%s: %s", witness, said)
                        .isIn(mayBeUnasked.contains(witness) ? Set.of("OK", "UNASKED") : Set.of("OK")));
        assertThat(details.path("hazards")
                        .valueStream()
                        .map(hazard -> hazard.path("name").asString("")))
                .isSubsetOf(HAZARDS_OF_OTHERS);
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
