package io.github.sqlitehealth.sample;

import static io.github.sqlitehealth.sample.Benign.assertStaysHealthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The gateway in a mount namespace in which {@code /proc} does not say all (the book's incident 39). */
class HiddenProcIT {

    private static final String DATABASE = "data/gateway.db";
    private static final String HIDDEN = "this system does not show a process its locks";
    private static final String NOBODY_HAS_TO =
            "there is no WAL, and without one locks are held for the time of a transaction only";
    private static final String[] ROLLBACK = {"--spring.datasource.hikari.data-source-properties.journal_mode=DELETE"};

    @TempDir
    Path folder;

    /** The baseline tells what is held, and what cannot be seen is said instead of guessed. */
    @Test
    void withoutProcNothingIsNamedWithoutAReasonAndASwapIsNamedStill() throws Throwable {
        try (RunningGateway gateway = RunningGateway.startWithHidden("/proc", folder, DATABASE, Benign.watched())) {
            assertLocksAreNotAsked(gateway, HIDDEN);

            Act.rm(gateway.sidecar("-wal"), gateway.sidecar("-shm"));
            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            assertThat(witness(gateway, "locks").path("says").asString("")).isEqualTo("UNASKED");
            JsonNode snapshot = Evidence.assertSnapshot(gateway, "STRANDED");
            assertThat(snapshot.at("/holders/error").asString("")).contains("/proc", "lsof");
        }
    }

    @Test
    void withoutProcAndInRollbackModeNothingIsNamedEither() throws Throwable {
        try (RunningGateway gateway =
                RunningGateway.startWithHidden("/proc", folder, DATABASE, Benign.watched(ROLLBACK))) {
            assertLocksAreNotAsked(gateway, NOBODY_HAS_TO);
            assertThat(gateway.sidecar("-wal")).doesNotExist();
        }
    }

    /** As a container may mask it: the descriptors are shown, and the list of all locks is, too. */
    @Test
    void withoutFdinfoTheListOfAllLocksIsEnough() throws Throwable {
        try (RunningGateway gateway =
                RunningGateway.startWithHidden("/proc/$$/fdinfo", folder, DATABASE, Benign.watched())) {
            assertStaysHealthy(gateway, () -> gateway.post("one"));
        }
    }

    private static void assertLocksAreNotAsked(RunningGateway gateway, String why) throws Throwable {
        assertStaysHealthy(gateway, Set.of("locks"), () -> {
            gateway.post("one");
            gateway.check("quick");
            await().untilAsserted(() -> assertThat(
                            witness(gateway, "locks").path("text").asString(""))
                    .isEqualTo(why));
        });
        assertThat(witness(gateway, "locks").path("says").asString("")).isEqualTo("UNASKED");
    }

    private static JsonNode witness(RunningGateway gateway, String name) {
        return gateway.health().path("details").path("witnesses").path(name);
    }
}
