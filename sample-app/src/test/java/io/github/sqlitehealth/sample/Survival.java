package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run of incident 51: both sidecars are removed under a gateway that is being written to, it goes on, it ends; then
 * every row that anybody was promised is looked for.
 */
final class Survival {

    /** What differs from run to run. */
    enum Act51 {
        /** Nobody else writes; SIGTERM. */
        A(false, true),
        /** Another process writes through new sidecars meanwhile; SIGTERM. */
        B(true, true),
        /** The same with {@code kill -9}. */
        C(true, false);

        private final boolean outside;
        private final boolean graceful;

        Act51(boolean outside, boolean graceful) {
            this.outside = outside;
            this.graceful = graceful;
        }
    }

    /**
     * What became of the rows.
     *
     * @param main what integrity_check says of the main file
     * @param ours acknowledged by the gateway
     * @param saved those of ours that are in the main file or in the newest rescue copy
     * @param before those of ours that were acknowledged before the last rescue copy was known to be there
     * @param theirs acknowledged to the other process
     * @param kept those of theirs that are in the main file
     */
    record Outcome(
            String main,
            Set<String> ours,
            Set<String> saved,
            Set<String> before,
            Set<String> theirs,
            Set<String> kept) {

        int lost() {
            return ours.size() - saved.size();
        }

        int theirsLost() {
            return theirs.size() - kept.size();
        }
    }

    private static final int AT_LEAST = 100;

    /** What is measured here are rows, not times. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Survival() {}

    /** @param outsideStays whether the other process still has the database open when the gateway ends */
    static Outcome run(Path folder, Act51 act, boolean starter, boolean outsideStays) throws Exception {
        String option = "--sqlite.health.enabled=" + starter;
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db", option)) {
            if (starter) {
                gateway.awaitHealthy();
            }
            gateway.startWriting();
            awaitMore(gateway, AT_LEAST);
            Act.sqlite3(gateway.database(), "pragma wal_checkpoint(passive)");
            awaitMore(gateway, AT_LEAST);

            Act.rm(gateway.sidecar("-wal"), gateway.sidecar("-shm"));

            Set<String> theirs = Set.of();
            Set<String> before;
            if (act.outside) {
                try (OutsideWriter outside = new OutsideWriter(gateway.database())) {
                    before = goOn(gateway, starter);
                    if (!outsideStays) {
                        outside.stop();
                    }
                    end(gateway, act);
                    theirs = outside.acknowledged();
                }
            } else {
                before = goOn(gateway, starter);
                end(gateway, act);
            }
            return count(gateway, before, theirs);
        }
    }

    /** What was acknowledged before the gateway said that its copy holds everything up to a time that had passed by then. */
    private static Set<String> goOn(RunningGateway gateway, boolean starter) {
        awaitMore(gateway, AT_LEAST);
        if (!starter) {
            awaitMore(gateway, 3 * AT_LEAST);
            return Set.of();
        }
        gateway.awaitVerdict("STRANDED", PATIENCE);
        Set<String> before = Set.copyOf(gateway.acknowledged().values());
        Instant then = Instant.now();
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(gateway.health().at("/details/rescue").toString())
                                .contains("\"copyAt\":\""));
        boolean later = Instant.parse(
                        gateway.health().at("/details/rescue/copyAt").asString())
                .isAfter(then);
        awaitMore(gateway, AT_LEAST);
        return later ? before : Set.of();
    }

    private static void end(RunningGateway gateway, Act51 act) throws InterruptedException {
        if (act.graceful) {
            gateway.terminate();
        } else {
            gateway.kill();
        }
    }

    private static void awaitMore(RunningGateway gateway, int rows) {
        int now = gateway.acknowledged().size();
        await().atMost(PATIENCE).until(() -> gateway.acknowledged().size() >= now + rows);
    }

    private static Outcome count(RunningGateway gateway, Set<String> before, Set<String> theirs)
            throws InterruptedException, IOException {
        Map<Long, String> acknowledged = gateway.stopWriting();
        Set<String> ours = Set.copyOf(acknowledged.values());
        String integrity = sound(gateway.database());
        Set<String> main = bodies(gateway.database());
        Set<String> saved = Stream.concat(
                        main.stream(), copies(gateway).stream().flatMap(copy -> bodies(copy).stream()))
                .filter(ours::contains)
                .collect(Collectors.toSet());
        Set<String> kept = main.stream().filter(theirs::contains).collect(Collectors.toSet());
        return new Outcome(integrity, ours, saved, before, theirs, kept);
    }

    private static String sound(Path database) {
        try {
            return Act.sqlite3(database, "pragma integrity_check").strip();
        } catch (AssertionError malformed) {
            return String.valueOf(malformed.getMessage())
                    .lines()
                    .reduce((one, other) -> other)
                    .orElse("");
        }
    }

    static Set<String> bodies(Path database) {
        try {
            return Arrays.stream(
                            Act.sqlite3(database, "select body from messages").split("\n"))
                    .collect(Collectors.toSet());
        } catch (AssertionError malformed) {
            return Set.of();
        }
    }

    /** The newest verified one, or none. */
    static List<Path> copies(RunningGateway gateway) throws IOException {
        Path forensics = gateway.sidecar("-forensics");
        if (!Files.isDirectory(forensics)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(forensics)) {
            return files
                    .filter(file -> file.getFileName().toString().matches("rescue-[^-]*\\.db"))
                    .max(Comparator.naturalOrder())
                    .stream()
                    .toList();
        }
    }
}
