package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.sample.Survival.Act51;
import io.github.sqlitehealth.sample.Survival.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
                act.name().toLowerCase(java.util.Locale.ROOT),
                starter,
                sound,
                outcomes.size(),
                ours,
                lost,
                theirs,
                theirsLost);
    }
}
