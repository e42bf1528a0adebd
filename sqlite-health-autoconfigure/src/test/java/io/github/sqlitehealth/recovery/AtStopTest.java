package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.recovery.AtStop.Facts;
import io.github.sqlitehealth.recovery.AtStop.Plan;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a stop does, as a table. */
class AtStopTest {

    @ParameterizedTest
    @CsvSource(nullValues = "-", textBlock = """
                    # main lost, used, main locked, danger, anchor, pool | plan, why
                    false, -, false, -, true,  true,  MERGE, nobody else has written
                    false, -, false, -, false, true,  MERGE, nobody else has written
                    true,  -, false, -, true,  true,  KEEP,  main file
                    true,  u, true,  -, true,  true,  KEEP,  main file
                    false, u, false, -, true,  true,  KEEP,  u
                    false, u, true,  -, true,  true,  KEEP,  u
                    false, -, false, -, true,  false, KEEP,  no connection open
                    false, u, false, -, true,  false, KEEP,  u
                    false, u, false, -, false, true,  MERGE, kill the process
                    false, u, true,  -, false, true,  KEEP,  merges nothing
                    false, u, true,  -, false, true,  KEEP,  merges over their rows
                    false, u, true,  -, false, true,  KEEP,  end with this process
                    true,  -, false, -, false, true,  KEEP,  end with this process
                    true,  -, false, d, true,  true,  KEEP,  any more; d
                    false, -, false, d, true,  true,  MERGE, seen; d
                    """)
    void mergesOnlyWhereNobodyElseHasUsedTheDatabase(
            boolean mainLost,
            String used,
            boolean mainLocked,
            String danger,
            boolean anchorOpen,
            boolean poolOpen,
            Plan plan,
            String why) {
        AtStop decided = AtStop.decide(new Facts(mainLost, used, mainLocked, danger, anchorOpen, poolOpen));
        assertThat(decided.plan()).isEqualTo(plan);
        assertThat(decided.why()).contains(why);
    }
}
