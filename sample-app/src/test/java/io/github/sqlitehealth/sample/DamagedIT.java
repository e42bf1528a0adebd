package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.sample.Act.Filler;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The file on disk is damaged (the book's incidents 6, 8, 11 and 12). */
class DamagedIT {

    private static final String DATABASE = "data/gateway.db";
    private static final int ROWS = 5_000;

    @TempDir
    Path folder;

    static Stream<Named<Consumer<Path>>> damages() {
        return Stream.of(
                Named.of("a page overwritten", db -> Act.dd(db, Act.pageOf(db, "messages"), Filler.RANDOM)),
                Named.of("header zeroed", db -> Act.dd(db, 0, 100, Filler.ZERO)),
                Named.of("cut to half", db -> Act.truncate(db, db.toFile().length() / 2)),
                Named.of("full-text segment damaged", DamagedIT::damageFullTextIndex));
    }

    /** Incidents 6, 8 and 12. */
    @ParameterizedTest
    @MethodSource("damages")
    void aDamagedFileIsConfirmedByTheNextCheck(Consumer<Path> damage) {
        try (RunningGateway gateway = filledGateway()) {
            damage.accept(gateway.database());
            gateway.check("quick");

            assertDamagedAndConfirmed(gateway);
        }
    }

    /** Incident 12. */
    @Test
    void anIndexWithWrongValuesIsFoundByTheFullCheckAlone() {
        try (RunningGateway gateway = filledGateway()) {
            Act.sqlite3(gateway.database(), "create index by_body on messages (body)");
            gateway.check("full");
            assertThat(gateway.verdict()).isEqualTo("HEALTHY");

            // The entries stay as they are while their definition now asks for others: as many, all wrong.
            Act.sqlite3(
                    gateway.database(),
                    "pragma writable_schema = on",
                    "update sqlite_schema set sql = 'create index by_body on messages (upper(body))'"
                            + " where name = 'by_body'",
                    "pragma schema_version = 1000");
            gateway.check("quick");
            assertThat(gateway.verdict())
                    .as("a quick check does not compare values")
                    .isEqualTo("HEALTHY");
            gateway.check("full");

            assertDamagedAndConfirmed(gateway);
        }
    }

    /** Incident 8. */
    @Test
    void aFileCutToNothingIsNotTakenForAnEmptyDatabase() {
        try (RunningGateway gateway = filledGateway()) {
            Act.truncate(gateway.database(), 0);
            gateway.check("quick");

            String verdict = gateway.verdict();
            assertThat(verdict).isIn("EMPTIED", "DAMAGED");
            Evidence.assertNamed(gateway, verdict, "DOWN");
        }
    }

    /** Incident 11: whoever has the file open reads on, and nobody can open it anew. */
    @Test
    void damageThatNoNewConnectionCanConfirmIsNamedUnconfirmedAndNeverAllClear() {
        try (RunningGateway gateway = filled(
                RunningGateway.startUnprivileged(folder, DATABASE, "--sqlite.health.quick-check.initial-delay=10m"))) {
            Path[] files = {gateway.database(), gateway.sidecar("-wal"), gateway.sidecar("-shm")};
            Act.dd(gateway.database(), Act.pageOf(gateway.database(), "messages"), Filler.RANDOM);
            Act.chmod("000", files);
            gateway.check("quick");

            gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);
            Evidence.assertNamed(gateway, "DAMAGED", "DOWN");
            assertDamaged(gateway.health(), false);
            for (String check : new String[] {"quick", "full", "quick"}) {
                gateway.check(check);
                assertDamaged(gateway.health(), false);
                assertThat(gateway.health().at("/details/witnesses/fresh/says").asString(""))
                        .isEqualTo("UNASKED");
            }

            Act.chmod("600", files);
            gateway.check("quick");
            assertDamaged(gateway.health(), true);
        }
    }

    private RunningGateway filledGateway() {
        return filled(RunningGateway.start(folder, DATABASE));
    }

    private static RunningGateway filled(RunningGateway gateway) {
        gateway.awaitHealthy();
        Act.fill(gateway.database(), ROWS);
        assertThat(gateway.sidecar("-wal")).isEmptyFile();
        return gateway;
    }

    private static void assertDamagedAndConfirmed(RunningGateway gateway) {
        gateway.awaitVerdict("DAMAGED", Evidence.LIMIT);
        assertDamaged(gateway.health(), true);
        Evidence.assertNamed(gateway, "DAMAGED", "DOWN");
    }

    private static void assertDamaged(JsonNode health, boolean confirmed) {
        assertThat(health.at("/details/verdict").asString("")).isEqualTo("DAMAGED");
        assertThat(health.at("/details/confirmed").asBoolean()).isEqualTo(confirmed);
    }

    /** The b-trees stay sound: only FTS5 itself can tell. The rows below 11 are its averages and its structure. */
    private static void damageFullTextIndex(Path database) {
        Act.sqlite3(database, "update messages_fts_data set block = zeroblob(length(block)) where id > 10");
    }
}
