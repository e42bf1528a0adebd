package io.github.sqlitehealth.sample;

import static io.github.sqlitehealth.sample.Benign.assertStaysHealthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everyday life that looks like trouble (the book's incidents 31, 32, 32b, 33 and 36). */
class BenignIT {

    /** Hikari refuses a shorter idle time-out than 10 s, and would look for idle connections only every 30 s. */
    private static final String[] CHURN = {
        "--spring.datasource.hikari.minimum-idle=0",
        "--spring.datasource.hikari.idle-timeout=10000",
        "--spring.datasource.hikari.max-lifetime=30000",
        "-Dcom.zaxxer.hikari.housekeeping.periodMs=500"
    };

    private static final Duration POOL_IS_EMPTY = Duration.ofSeconds(25);

    @TempDir
    Path folder;

    /** Incident 31. */
    @Test
    void aPoolThatEmptiesAndFillsAgainIsNoIncident() throws Throwable {
        String[] withoutAnchor = Stream.concat(Stream.of(CHURN), Stream.of("--sqlite.health.anchor.enabled=false"))
                .toArray(String[]::new);
        // Without an anchor the sidecars go with the last connection. Both at once, so that both wait the same ten
        // seconds.
        try (RunningGateway anchored = Benign.start(folder, "anchored.db", CHURN);
                RunningGateway bare = Benign.start(folder, "bare.db", withoutAnchor)) {
            assertStaysHealthy(
                    anchored,
                    Set.of("live"),
                    () -> assertStaysHealthy(bare, Set.of("live", "locks"), () -> {
                        anchored.post("before");
                        bare.post("before");
                        await().atMost(POOL_IS_EMPTY).until(() -> Files.notExists(bare.sidecar("-wal")));
                        await().atMost(POOL_IS_EMPTY)
                                .until(() ->
                                        anchored.metric("hikaricp_connections").orElseThrow() == 0);
                        anchored.post("after");
                        bare.post("after");
                        assertThat(bare.sidecar("-wal")).exists();
                    }));
        }
    }

    /** Incident 32. */
    @Test
    void maintenanceFromOutsideIsNoIncident() throws Throwable {
        try (RunningGateway gateway = Benign.start(folder, "data/gateway.db")) {
            assertStaysHealthy(gateway, () -> {
                Act.fill(gateway.database(), 2_000);
                for (String maintenance : new String[] {
                    "vacuum",
                    "pragma wal_checkpoint(truncate)",
                    ".backup '" + folder.resolve("backup.db") + "'",
                    "pragma integrity_check",
                    "select count(*) from messages"
                }) {
                    gateway.post("before " + maintenance);
                    Act.sqlite3(gateway.database(), maintenance);
                    gateway.check("quick");
                }
                assertThat(gateway.count()).isEqualTo(2_005);
            });
        }
    }

    /** Incident 32b. */
    @Test
    void deletingEveryRowIsNoIncidentAndNotAfterARestartEither() throws Throwable {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db", Benign.EVERY_WITNESS)) {
            assertStaysHealthy(gateway, () -> {
                Act.fill(gateway.database(), 2_000);
                gateway.check("full");
                Act.sqlite3(gateway.database(), "delete from messages");
                assertThat(gateway.count()).isZero();
            });
            gateway.terminate();
        }
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db", Benign.EVERY_WITNESS)) {
            assertStaysHealthy(gateway, () -> assertThat(gateway.count()).isZero());
        }
    }

    /** Incident 33. */
    @Test
    void aLockHeldForHalfAMinuteIsNoIncident() throws Throwable {
        try (RunningGateway gateway = Benign.start(folder, "data/gateway.db");
                OutsideSession reader = new OutsideSession(gateway.database());
                OutsideSession writer = new OutsideSession(gateway.database())) {
            assertStaysHealthy(gateway, () -> {
                gateway.post("before");
                reader.run("begin; select count(*) from messages");
                writer.run("begin immediate");
                Instant release = Instant.now().plusSeconds(30);
                while (Instant.now().isBefore(release)) {
                    assertThatThrownBy(() -> gateway.post("has to wait for the lock, in vain"))
                            .hasMessageContaining("500");
                    gateway.check("quick");
                }
                gateway.check("full");
                writer.run("rollback");
                gateway.post("after");
                assertThat(gateway.count()).isEqualTo(2);
            });
        }
    }

    /** Incident 36: the first start has no file yet, the second one finds a -wal that nobody has brought home. */
    @Test
    void aFirstStartAndARestartAfterAKillAreNoIncident() throws Throwable {
        assertThat(folder.resolve("data")).doesNotExist();
        int acknowledged;
        try (RunningGateway gateway = Benign.start(folder, "data/gateway.db")) {
            assertStaysHealthy(gateway, () -> {
                gateway.startWriting();
                await().until(() -> gateway.acknowledged().size() >= 50);
            });
            gateway.kill();
            acknowledged = gateway.stopWriting().size();
            assertThat(gateway.sidecar("-wal")).isNotEmptyFile();
        }
        try (RunningGateway gateway = Benign.start(folder, "data/gateway.db")) {
            assertStaysHealthy(gateway, () -> assertThat(gateway.count()).isGreaterThanOrEqualTo(acknowledged));
        }
    }
}
