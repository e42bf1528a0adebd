package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gateway as it is shipped, with nothing done to it: what the incident tests stand on. */
class GatewayIT {

    private static final String DATABASE = "data/gateway.db";

    @TempDir
    Path folder;

    @Test
    void messagesOutliveAGracefulRestart() throws InterruptedException {
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            assertThat(gateway.count()).isZero();
            long id = gateway.post("lighthouse keeper");
            gateway.post("keeper of the bees");
            assertThat(gateway.matching("lighthouse")).containsExactly(id);
            assertThat(gateway.sidecar("-wal")).exists();
            assertThat(gateway.metric("hikaricp_connections_max", "pool", "gateway"))
                    .hasValue(4);

            assertThat(gateway.terminate()).as("143 is SIGTERM").isEqualTo(143);
            assertThat(gateway.sidecar("-wal")).doesNotExist();
            assertThat(Act.sqlite3(gateway.database(), "pragma integrity_check"))
                    .isEqualTo("ok\n");
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            assertThat(gateway.count()).isEqualTo(2);
            assertThat(gateway.matching("keeper")).hasSize(2);
        }
    }

    @Test
    void acknowledgedMessagesOutliveAKill() throws InterruptedException {
        Map<Long, String> acknowledged;
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            gateway.startWriting();
            await().until(() -> gateway.acknowledged().size() >= 50);
            gateway.kill();
            acknowledged = gateway.stopWriting();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, DATABASE)) {
            assertThat(gateway.matching("background")).containsAll(acknowledged.keySet());
            assertThat(gateway.count()).isBetween((long) acknowledged.size(), acknowledged.size() + 1L);
        }
    }
}
