package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One is not several. */
class CountedTest {

    @Test
    void oneIsNotSeveral() {
        assertThat(Counted.of(0, "file")).isEqualTo("0 files");
        assertThat(Counted.of(1, "rescue copy")).isEqualTo("1 rescue copy");
        assertThat(Counted.of(2, "rescue copy")).isEqualTo("2 rescue copies");
    }
}
