package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.fixture.Scripted;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When all pages are to be read, told by what earlier processes left. */
class FullCheckPlanTest {

    private static final Duration DAY = Duration.ofHours(24);

    @TempDir
    Path folder;

    private final FakeTime time = new FakeTime();
    private Path file;

    @BeforeEach
    void database() throws Exception {
        file = Rig.sound(folder);
    }

    @Test
    void theFirstFullCheckComesAfterAWholeInterval() throws Exception {
        try (Rig first = process()) {
            assertThat(first.monitor.untilFullCheck(DAY)).isEqualTo(DAY);
        }
    }

    @Test
    void restartsDoNotPutOffTheFirstOne() throws Exception {
        runFor(Duration.ofHours(9));
        runFor(Duration.ofHours(9));
        try (Rig third = process()) {
            assertThat(third.monitor.untilFullCheck(DAY)).isBetween(Duration.ofHours(5), Duration.ofHours(6));
        }
        runFor(Duration.ofHours(9));
        try (Rig fourth = process()) {
            assertThat(fourth.monitor.untilFullCheck(DAY)).isZero();
        }
    }

    @Test
    void oneThatWasDoneIsDueAgainADayAfterIt() throws Exception {
        try (Rig first = process()) {
            first.monitor.untilFullCheck(DAY);
            time.pass(Duration.ofHours(20));
            first.monitor.nextFullCheckIn(DAY);
            // A process that is killed remembers nothing more.
            first.monitor.state();
            time.pass(Duration.ofHours(3));
        }
        try (Rig second = process()) {
            assertThat(second.monitor.untilFullCheck(DAY)).isBetween(Duration.ofHours(20), Duration.ofHours(21));
        }
    }

    @Test
    void aPlanBeyondTheIntervalIsNotKept() throws Exception {
        runFor(Duration.ofHours(1));
        time.jump(Duration.ofDays(-30));
        try (Rig second = process()) {
            assertThat(second.monitor.untilFullCheck(DAY)).isEqualTo(DAY);
        }
        try (Rig third = process()) {
            assertThat(third.monitor.untilFullCheck(Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
        }
    }

    private void runFor(Duration duration) throws Exception {
        try (Rig rig = process()) {
            rig.monitor.untilFullCheck(DAY);
            time.pass(duration);
        }
    }

    private Rig process() throws Exception {
        return new Rig(file, new Scripted(), new Tuning(), time);
    }
}
