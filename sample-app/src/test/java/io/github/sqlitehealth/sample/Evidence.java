package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** What every incident must leave behind, whatever its verdict: an answer, a snapshot and numbers. */
final class Evidence {

    /** Half of it is the book's limit: the machine may be noisy. */
    static final Duration LIMIT = Duration.ofSeconds(2);

    private static final Duration SNAPSHOT_LIMIT = Duration.ofSeconds(5);

    private Evidence() {}

    /** Asserts that a verdict stands in health, in the metrics and in a snapshot that names this process; the snapshot. */
    static JsonNode assertNamed(RunningGateway gateway, String verdict, String status) {
        JsonNode health = gateway.health();
        assertThat(health.path("details").path("verdict").asString("")).isEqualTo(verdict);
        assertThat(health.path("status").asString("")).isEqualTo(status);

        assertThat(gateway.metric("sqlite_health_verdict", "verdict", verdict)).hasValue(1);
        assertThat(gateway.metric("sqlite_health_verdict"))
                .as("no other verdict")
                .hasValue(1);
        assertThat(gateway.metric("sqlite_health_latch_duration_seconds").orElseThrow())
                .isPositive();
        assertThat(gateway.metric("sqlite_health_alarms_total").orElseThrow()).isPositive();

        JsonNode snapshot = assertSnapshot(gateway, verdict);
        assertThat(descriptors(gateway, snapshot))
                .as("files we hold, in %s", snapshot)
                .isNotEmpty();
        return snapshot;
    }

    /** Asserts that there is a snapshot of this process with this verdict, and that it counts; the first one. */
    static JsonNode assertSnapshot(RunningGateway gateway, String verdict) {
        JsonNode snapshot = snapshot(gateway, verdict);
        assertThat(gateway.metric("sqlite_health_snapshots_total").orElseThrow())
                .isPositive();
        return snapshot;
    }

    /** What this process holds, as a snapshot tells it. */
    static List<JsonNode> descriptors(RunningGateway gateway, JsonNode snapshot) {
        return snapshot.path("holders")
                .valueStream()
                .filter(holder -> holder.path("pid").asLong() == gateway.pid())
                .filter(holder -> holder.path("self").asBoolean())
                .flatMap(holder -> holder.path("descriptors").valueStream())
                .toList();
    }

    /** The list of snapshots, oldest first. */
    static List<JsonNode> snapshots(GatewayClient gateway) {
        return gateway.forensics("/dataSource").path("snapshots").valueStream().toList();
    }

    /** The first snapshot of this process with this verdict: it may take its time to look for holders. */
    private static JsonNode snapshot(RunningGateway gateway, String verdict) {
        return await().atMost(SNAPSHOT_LIMIT)
                .until(
                        () -> snapshots(gateway).stream()
                                .filter(entry ->
                                        verdict.equals(entry.path("verdict").asString("")))
                                .map(entry -> gateway.forensics(
                                        "/dataSource/" + entry.path("id").asString()))
                                .filter(snapshot -> snapshot.at("/process/pid").asLong() == gateway.pid())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }
}
