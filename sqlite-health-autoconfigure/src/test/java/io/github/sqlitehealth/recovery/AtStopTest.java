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
                    # main lost, written, holders, moved, anchor, pool | plan, why
                    false, -, -, -, true,  true,  MERGE, nobody else has written
                    false, -, -, -, false, true,  MERGE, nobody else has written
                    true,  -, -, -, true,  true,  KEEP,  main file
                    false, w, -, -, true,  true,  KEEP,  w
                    false, -, h, -, true,  true,  KEEP,  h
                    false, -, -, m, true,  true,  KEEP,  m
                    false, w, h, m, true,  true,  KEEP,  w
                    false, -, -, -, true,  false, KEEP,  no connection open
                    false, w, -, -, true,  false, KEEP,  w
                    false, w, -, -, false, true,  MERGE, kill the process
                    true,  -, -, -, false, true,  MERGE, kill the process
                    """)
    void mergesOnlyWhereNobodyElseHasUsedTheDatabase(
            boolean mainLost,
            String written,
            String holders,
            String moved,
            boolean anchorOpen,
            boolean poolOpen,
            Plan plan,
            String why) {
        AtStop decided = AtStop.decide(new Facts(mainLost, written, holders, moved, anchorOpen, poolOpen));
        assertThat(decided.plan()).isEqualTo(plan);
        assertThat(decided.why()).contains(why);
    }
}
