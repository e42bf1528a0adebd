package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqliteVersionsTest {

    /** 3.50.3 is what Spring Boot 4.0.7 brings. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "3.7.0",
                "3.7",
                "3.7.17",
                "3.8.11.1",
                "3.40.1",
                "3.43.2",
                "3.44.0",
                "3.44.5",
                "3.45.0",
                "3.49.9",
                "3.50.0",
                "3.50.3",
                "3.50.6",
                "3.51.0",
                "3.51.2"
            })
    void withTheWalResetBug(String version) {
        assertThat(SqliteVersions.hasWalResetBug(version)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3.6.23", "3.44.6", "3.44.7", "3.50.7", "3.50.10", "3.51.3", "3.52.0", "3.53.0", "3.53.4", "3.54.1",
                "3.100.0", "4.0.0", "2.8.17", "", "unknown", "3", "3.x"
            })
    void without(String version) {
        assertThat(SqliteVersions.hasWalResetBug(version)).isFalse();
    }
}
