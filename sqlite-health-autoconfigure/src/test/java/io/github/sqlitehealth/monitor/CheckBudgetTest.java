package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckBudgetTest {

    private static final Duration QUICK = Duration.ofMinutes(10);
    private static final Duration FULL = Duration.ofHours(24);

    private final CheckBudget budget = new CheckBudget(0.05);

    @Test
    void whatFitsKeepsItsInterval() {
        double[] full = {CheckBudget.load(Duration.ofMinutes(5), FULL)};
        assertThat(budget.restAfter(Duration.ofSeconds(2), QUICK, full)).isEqualTo(QUICK);
    }

    @Test
    void oneCheckAloneMayTakeTheWholeBudget() {
        Duration took = Duration.ofMinutes(2);
        assertThat(load(took, budget.restAfter(took, QUICK, new double[1]))).isEqualTo(0.05, within(1e-6));
    }

    @Test
    void quickAndFullShareOneBudget() {
        Duration interval = Duration.ofSeconds(1);
        Duration quick = Duration.ofSeconds(2);
        Duration full = Duration.ofSeconds(10);
        double sum = load(quick, budget.restAfter(quick, interval, new double[] {CheckBudget.load(full, interval)}))
                + load(full, budget.restAfter(full, interval, new double[] {CheckBudget.load(quick, interval)}));
        assertThat(sum).isEqualTo(0.05, within(1e-6));
    }

    @Test
    void aCheckThatAsksForLittleIsNotKeptWaitingByOneThatAsksForMuch() {
        Duration full = Duration.ofMinutes(10);
        double[] much = {CheckBudget.load(Duration.ofMinutes(5), QUICK)};
        assertThat(budget.restAfter(full, FULL, much)).isEqualTo(FULL);
        // What the full check leaves is for the quick one.
        Duration quick = Duration.ofMinutes(5);
        double left = 0.05 - CheckBudget.load(full, FULL);
        assertThat(load(quick, budget.restAfter(quick, QUICK, new double[] {CheckBudget.load(full, FULL)})))
                .isEqualTo(left, within(1e-6));
    }

    @Test
    void aHundredDatabasesShareItToo() {
        Duration took = Duration.ofSeconds(30);
        double[] others = new double[99];
        java.util.Arrays.fill(others, CheckBudget.load(took, QUICK));
        assertThat(100 * load(took, budget.restAfter(took, QUICK, others))).isEqualTo(0.05, within(1e-6));
    }

    private static double load(Duration took, Duration rest) {
        return (double) took.toNanos() / took.plus(rest).toNanos();
    }
}
