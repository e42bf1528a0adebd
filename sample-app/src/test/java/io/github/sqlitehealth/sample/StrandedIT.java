package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The gateway writes into files that have lost their names (the book's incidents 1 to 4). */
class StrandedIT {

    @TempDir
    Path folder;

    static Stream<Named<Consumer<RunningGateway>>> losses() {
        return Stream.of(
                Named.of("-wal and -shm removed", g -> Act.rm(g.sidecar("-wal"), g.sidecar("-shm"))),
                Named.of("-wal removed", g -> Act.rm(g.sidecar("-wal"))),
                Named.of("-shm removed", g -> Act.rm(g.sidecar("-shm"))),
                Named.of("main removed", g -> Act.rm(g.database())),
                Named.of("another file renamed over main", StrandedIT::replaceMain));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void theLossOfAFileUnderAWritingGatewayIsNamedAtOnce(Consumer<RunningGateway> loss) {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            gateway.startWriting();
            await().until(() -> gateway.acknowledged().size() >= 20);

            loss.accept(gateway);

            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            assertNamedWithStaleDescriptors(gateway);
        }
    }

    @Test
    void aWriterThatSeesNoLocksTakesTheWalAway() {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            // Not while the gateway writes: two writers in one -wal are a damage of its own.
            gateway.post("written before");

            Act.lockBlindWriter(gateway.database(), "insert into messages (body) values ('blind')");

            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            assertThat(gateway.sidecar("-wal")).doesNotExist();
            assertNamedWithStaleDescriptors(gateway);
        }
    }

    /**
     * As a SQLite does that believes to be the first. What is mapped beyond the end kills whoever touches it, so nothing
     * is asked of the gateway but what it says from memory.
     */
    @Test
    void aShmThatIsCutBeforeTheWatchHasSeenItIsNamedAtTheFirstLook() {
        String late = "--sqlite.health.identity-watch.initial-delay=4s";
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db", late)) {
            await().until(() -> gateway.log().contains("Watching "));
            assertThat(gateway.verdict()).isEqualTo("HEALTHY");

            Act.truncate(gateway.sidecar("-shm"), 3);

            gateway.awaitVerdict("STRANDED", Evidence.LIMIT.plusSeconds(4));
            assertThat(gateway.health().path("details").path("summary").asString(""))
                    .contains("shm: inode ", "was cut short in place");
            Evidence.assertNamed(gateway, "STRANDED", "DOWN");
        }
    }

    @Test
    void aReplacedMainFileCountsAsAChangeOfMain() {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            gateway.post("written before");

            replaceMain(gateway);

            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            assertThat(gateway.metric("sqlite_health_inode_changes", "file", "main")
                            .orElseThrow())
                    .isEqualTo(1);
        }
    }

    private static void assertNamedWithStaleDescriptors(RunningGateway gateway) {
        JsonNode snapshot = Evidence.assertNamed(gateway, "STRANDED", "DOWN");
        List<JsonNode> held = Evidence.descriptors(gateway, snapshot);
        assertThat(held).anyMatch(descriptor -> descriptor.path("stale").asBoolean());
    }

    private static void replaceMain(RunningGateway gateway) {
        Path other = gateway.sidecar("-restored");
        Act.cp(gateway.database(), other);
        Act.mv(other, gateway.database());
    }
}
