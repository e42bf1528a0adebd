package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.sample.Act.Filler;
import io.github.sqlitehealth.sample.Act.Page;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection is wrong about a healthy file (the book's incident 9). */
class ConfusedIT {

    /** So few that all pages fit into the connection's cache of 2 MB: nothing pushes the bad one out again. */
    private static final int ROWS = 2_000;

    /** A check of its own between damage and healing would rightly say DAMAGED. */
    private static final String NO_CHECK_UNASKED = "--sqlite.health.quick-check.initial-delay=10m";

    @TempDir
    Path folder;

    @Test
    void theOnlyConnectionThatRemembersAHealedPageIsNamedByTheNextCheck() {
        try (RunningGateway gateway = RunningGateway.start(
                folder,
                "data/gateway.db",
                NO_CHECK_UNASKED,
                "--spring.datasource.hikari.maximum-pool-size=1",
                "--spring.datasource.hikari.minimum-idle=1")) {
            confuseAConnection(gateway);
            assertThatThrownBy(gateway::count)
                    .as("the connection still remembers")
                    .hasMessageContaining("500");

            gateway.check("quick");

            gateway.awaitVerdict("CONNECTION_CONFUSED", Evidence.LIMIT);
            Evidence.assertNamed(gateway, "CONNECTION_CONFUSED", "DEGRADED");
        }
    }

    @Test
    void amongSeveralConnectionsTheConfusedOneGetsItsTurn() {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db", NO_CHECK_UNASKED)) {
            confuseAConnection(gateway);

            await().atMost(Duration.ofSeconds(10)).until(() -> {
                gateway.check("quick");
                return gateway.verdict().equals("CONNECTION_CONFUSED");
            });
            Evidence.assertNamed(gateway, "CONNECTION_CONFUSED", "DEGRADED");
        }
    }

    /** Lets one connection read a damaged page and then heals the page: that connection goes on failing. */
    private void confuseAConnection(RunningGateway gateway) {
        gateway.awaitHealthy();
        Act.fill(gateway.database(), ROWS);
        Path copy = folder.resolve("healthy-copy.db");
        Act.cp(gateway.database(), copy);
        Page page = Act.pageOf(gateway.database(), "messages");

        Act.dd(gateway.database(), page, Filler.RANDOM);
        // Counting visits every leaf of the table, and ends at the bad one.
        assertThatThrownBy(gateway::count).hasMessageContaining("500");
        Act.heal(gateway.database(), page, copy);

        assertThat(Act.sqlite3(gateway.database(), "pragma integrity_check")).isEqualTo("ok\n");
    }
}
