package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.sample.Act.Filler;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An incident outlives the process that found it (the book's incident 16). */
class RestartIT {

    @TempDir
    Path folder;

    @Test
    void anOpenIncidentIsStillOpenAfterAKill() throws InterruptedException {
        JsonNode first;
        String since;
        double latched;
        long killed;
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            Act.fill(gateway.database(), 5_000);
            Act.dd(gateway.database(), Act.pageOf(gateway.database(), "messages"), Filler.RANDOM);
            gateway.check("quick");
            gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);
            JsonNode named = Evidence.assertNamed(gateway, "DAMAGED", "DOWN");
            first = firstOf(gateway, named.path("incident"));
            since = since(gateway);
            latched = latchDuration(gateway);
            killed = gateway.pid();
            gateway.kill();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);

            Evidence.assertNamed(gateway, "DAMAGED", "DOWN");
            assertThat(gateway.forensics("/dataSource/" + first.path("id").asString())
                            .path("holders")
                            .valueStream())
                    .as("the first snapshot names the process that was killed")
                    .anyMatch(holder -> holder.path("pid").asLong() == killed
                            && holder.path("self").asBoolean());
            assertThat(since(gateway)).isEqualTo(since);
            assertThat(latchDuration(gateway)).isGreaterThan(latched);
            assertThat(firstOf(gateway, first.path("incident"))).isEqualTo(first);
        }
    }

    private static JsonNode firstOf(RunningGateway gateway, JsonNode incident) {
        return Evidence.snapshots(gateway).stream()
                .filter(entry -> entry.path("incident").equals(incident))
                .findFirst()
                .orElseThrow();
    }

    private static String since(GatewayClient gateway) {
        return gateway.health().path("details").path("since").asString("");
    }

    private static double latchDuration(GatewayClient gateway) {
        return gateway.metric("sqlite_health_latch_duration_seconds").orElseThrow();
    }
}
