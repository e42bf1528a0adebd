package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.sample.Survival.Act51;
import io.github.sqlitehealth.sample.Survival.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No acknowledged row is lost while the gateway is stranded (the book's incidents 51a, 51b and 51c).
 *
 * <p>{@code -Dsurvival.times=20 -Dsurvival.without=true} repeats each and puts the same runs without the starter beside
 * them, as a table.
 */
class SurvivalIT {

    private static final int TIMES = Integer.getInteger("survival.times", 2);
    private static final boolean WITHOUT = Boolean.getBoolean("survival.without");

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void noAcknowledgedRowIsLost(Act51 act) throws Exception {
        List<Outcome> outcomes = repeat(act, true);
        System.out.println(row(act, "with", outcomes));
        if (WITHOUT) {
            System.out.println(row(act, "without", repeat(act, false)));
        }
        assertThat(outcomes).allSatisfy(outcome -> {
            assertThat(outcome.main()).isEqualTo("ok");
            assertThat(outcome.theirsLost()).isZero();
            if (act == Act51.C) {
                assertThat(outcome.saved()).containsAll(outcome.before());
            } else {
                assertThat(outcome.lost()).isZero();
            }
        });
    }

    /** An orchestrator starts it again: what the copy holds is all that was ever acknowledged. */
    @Test
    void aGatewayThatIsToBeHaltedEndsWhenEveryAcknowledgedRowIsSafe() throws Exception {
        try (RunningGateway gateway =
                RunningGateway.start(folder, "data/gateway.db", "--sqlite.health.stranded.halt=true")) {
            gateway.awaitHealthy();
            gateway.startWriting();
            await().until(() -> gateway.acknowledged().size() >= 100);
            Act.rm(gateway.sidecar("-wal"), gateway.sidecar("-shm"));

            assertThat(gateway.awaitExit()).isEqualTo(70);

            Set<String> ours = Set.copyOf(gateway.stopWriting().values());
            assertThat(Survival.bodies(Survival.copies(gateway).get(0))).containsAll(ours);
            assertThat(Act.sqlite3(gateway.database(), "pragma integrity_check").strip())
                    .isEqualTo("ok");
            assertThat(gateway.log()).contains("halted with exit code 70");
            assertThat(Survival.bodies(gateway.database()))
                    .as("nobody else wrote, so the next process finds them")
                    .containsAll(ours);
        }
        // Nobody has compared the copies yet.
        try (RunningGateway next = RunningGateway.start(folder, "data/gateway.db")) {
            next.awaitHealthy();
            await().untilAsserted(() ->
                    assertThat(next.health().at("/details/hazards").toString()).contains("rescue-copies"));
        }
    }

    /** The web server drains before the monitor stops. */
    @Test
    void theRowOfTheLastRequestIsInTheCopy() throws Exception {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db");
                OutsideSession lock = new OutsideSession(gateway.database())) {
            gateway.awaitHealthy();
            gateway.post("before");
            Act.sqlite3(gateway.database(), "pragma wal_checkpoint(passive)");
            // It holds the files that the gateway holds, so that a request can be made to wait.
            lock.run("begin immediate");
            CompletableFuture<Long> last = CompletableFuture.supplyAsync(() -> gateway.post("the last one"));
            Act.rm(gateway.sidecar("-wal"), gateway.sidecar("-shm"));
            gateway.awaitVerdict("STRANDED", Evidence.LIMIT);
            await().until(() -> gateway.health().at("/details/rescue/copy").isString());
            assertThat(last).isNotDone();

            CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() -> {
                try {
                    return gateway.terminate();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            await().until(() -> gateway.log().contains("Commencing graceful shutdown"));
            lock.run("rollback");

            assertThat(last.get(10, TimeUnit.SECONDS)).isPositive();
            exit.get(60, TimeUnit.SECONDS);
            assertThat(Survival.bodies(Survival.copies(gateway).get(0))).contains("before", "the last one");
        }
    }

    private List<Outcome> repeat(Act51 act, boolean starter) throws Exception {
        List<Outcome> outcomes = new ArrayList<>();
        for (int time = 0; time < TIMES; time++) {
            Path own = Files.createDirectory(folder.resolve(act + "-" + starter + "-" + time));
            outcomes.add(Survival.run(own, act, starter, time % 2 == 1));
        }
        return outcomes;
    }

    private static String row(Act51 act, String starter, List<Outcome> outcomes) {
        long sound = outcomes.stream().filter(each -> each.main().equals("ok")).count();
        int ours = outcomes.stream().mapToInt(each -> each.ours().size()).sum();
        int lost = outcomes.stream().mapToInt(Outcome::lost).sum();
        int theirs = outcomes.stream().mapToInt(each -> each.theirs().size()).sum();
        int theirsLost = outcomes.stream().mapToInt(Outcome::theirsLost).sum();
        return String.format(
                "| 51%s | %s | %d of %d | %d | %d | %d | %d |",
                act.name().toLowerCase(Locale.ROOT), starter, sound, outcomes.size(), ours, lost, theirs, theirsLost);
    }
}
