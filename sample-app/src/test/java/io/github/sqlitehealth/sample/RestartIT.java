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
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            Act.fill(gateway.database(), 5_000);
            Act.dd(gateway.database(), Act.pageOf(gateway.database(), "messages"), Filler.RANDOM);
            gateway.check("quick");
            gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);
            first = Evidence.assertNamed(gateway, "DAMAGED", "DOWN");
            since = since(gateway);
            latched = latchDuration(gateway);
            gateway.kill();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);

            assertThat(since(gateway)).isEqualTo(since);
            assertThat(latchDuration(gateway)).isGreaterThan(latched);
            assertThat(Evidence.snapshots(gateway))
                    .filteredOn(entry -> entry.path("incident").equals(first.path("incident")))
                    .first()
                    .extracting(entry -> entry.path("id").asString())
                    .isEqualTo(first.path("id").asString());
        }
    }

    private static String since(GatewayClient gateway) {
        return gateway.health().path("details").path("since").asString("");
    }

    private static double latchDuration(GatewayClient gateway) {
        return gateway.metric("sqlite_health_latch_duration_seconds").orElseThrow();
    }
}
