package io.github.sqlitehealth.forensics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interrupt is how the threads of the monitor are stopped; the evidence of that moment is the last there will be. */
class InterruptedWriteTest {

    @TempDir
    Path folder;

    @Test
    void aSnapshotThatIsTakenByAThreadThatIsBeingStoppedReachesTheDisk() {
        SnapshotStore store = store();
        Instant now = Instant.parse("2026-01-02T03:04:05Z");
        SnapshotEntry entry = new SnapshotEntry("one", now, "verdict", "STRANDED", null);
        Map<String, Object> content = Map.of(
                "id", "one", "at", now.toString(), "reason", "verdict", "verdict", "STRANDED", "text", "the evidence");
        Thread.currentThread().interrupt();
        try {
            store.add(entry, content);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(store().read("one").orElseThrow()).containsEntry("text", "the evidence");
    }

    private SnapshotStore store() {
        return new SnapshotStore(
                new ForensicsDirectory(folder.resolve("forensics")), new Retention(10, 1 << 20), Clock.systemUTC());
    }
}
