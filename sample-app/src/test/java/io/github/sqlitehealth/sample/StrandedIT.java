package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The gateway writes into files that are no longer at their paths (the book's incidents 1 to 4). */
class StrandedIT {

    @TempDir
    Path folder;

    /** A loss, and the files that are others or gone after it. */
    private record Loss(Consumer<RunningGateway> act, Set<String> files) {}

    static Stream<Named<Loss>> losses() {
        return Stream.of(
                loss("-wal and -shm removed", g -> Act.rm(g.sidecar("-wal"), g.sidecar("-shm")), "wal", "shm"),
                loss("-wal removed", g -> Act.rm(g.sidecar("-wal")), "wal"),
                loss("-shm removed", g -> Act.rm(g.sidecar("-shm")), "shm"),
                loss("main removed", g -> Act.rm(g.database()), "main"),
                loss("another file renamed over main", StrandedIT::replaceMain, "main"));
    }

    private static Named<Loss> loss(String name, Consumer<RunningGateway> act, String... files) {
        return Named.of(name, new Loss(act, Set.of(files)));
    }

    /** Incidents 1, 2 and 4. */
    @ParameterizedTest
    @MethodSource("losses")
    void theLossOfAFileUnderAWritingGatewayIsNamedAtOnce(Loss loss) {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            gateway.startWriting();
            await().until(() -> gateway.acknowledged().size() >= 20);

            loss.act().accept(gateway);

            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            assertNamedWithStaleDescriptors(gateway);
            // One of two files may go a moment before the other.
            await().untilAsserted(() -> assertThat(changed(gateway)).isEqualTo(loss.files()));
        }
    }

    /** Incident 3. */
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
            await().until(() -> gateway.log().contains("no rescue copy: -shm was cut short"));
            Evidence.assertNamed(gateway, "STRANDED", "DOWN");
        }
    }

    private static Set<String> changed(RunningGateway gateway) {
        return Stream.of("main", "wal", "shm")
                .filter(file -> gateway.metric("sqlite_health_inode_changes", "file", file)
                                .orElseThrow()
                        > 0)
                .collect(Collectors.toSet());
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
