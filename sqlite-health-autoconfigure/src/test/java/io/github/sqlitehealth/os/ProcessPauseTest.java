package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.fixture.Outside;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another process stands still for a moment, and goes on whatever happens to this one. */
class ProcessPauseTest {

    private final Children children = new Children();

    private long target;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        Children.needProc();
        target = children.hold(Files.createFile(folder.resolve("held")));
    }

    @AfterEach
    void end() {
        children.close();
    }

    @Test
    void standsStillUntilTheEnd() throws IOException {
        try (ProcessPause pause = ProcessPause.of(target)) {
            assertThat(state()).isEqualTo("T");
            assertThat(pause.before()).isFalse();
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> state().equals("S"));
    }

    @Test
    void whatStoodStillBeforeIsLeftSo() throws IOException, InterruptedException {
        Outside.sh("kill -STOP $1", target);
        await().until(() -> state().equals("T"));
        try (ProcessPause pause = ProcessPause.of(target)) {
            assertThat(pause.before()).isTrue();
        }
        assertThat(state()).isEqualTo("T");
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM", "INT", "HUP"})
    void goesOnWhenWhoeverStoppedItIsKilled(String signal) throws IOException, InterruptedException {
        List<String> command = Outside.java(PausingChild.class, target);
        Process child = new ProcessBuilder(command).start();
        assertThat(child.inputReader().readLine()).isEqualTo("still");
        assertThat(state()).isEqualTo("T");

        Outside.sh("kill -$1 $2", signal, child.pid());

        child.waitFor();
        await().atMost(Duration.ofSeconds(5)).until(() -> state().equals("S"));
    }

    @Test
    void goesOnWhenTheGuardIsKilled() throws IOException, InterruptedException {
        try (ProcessPause pause = ProcessPause.of(target)) {
            assertThat(pause.before()).isFalse();
            ProcessHandle guard = ProcessHandle.current()
                    .children()
                    .filter(each -> each.info().command().orElse("").endsWith("sh"))
                    .findFirst()
                    .orElseThrow();
            guard.destroyForcibly();
            guard.onExit().join();
            assertThat(state()).isEqualTo("T");
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> state().equals("S"));
    }

    @Test
    void oneThatHasEndedCannotBeStopped() {
        children.close();
        assertThatThrownBy(() -> ProcessPause.of(target)).isInstanceOf(IOException.class);
    }

    private String state() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(target), "stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).substring(0, 1);
    }
}
