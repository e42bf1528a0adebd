package io.github.sqlitehealth.os;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Another process standing still (SIGSTOP) for as long as this is open. A shell of its own stands guard and has it go on
 * as soon as its input ends: when this is closed, and also when this process is killed, in whatever way.
 */
public final class ProcessPause implements AutoCloseable {

    private static final String GUARD =
            "trap '' INT TERM HUP; kill -STOP \"$1\" || exit 1; echo; read -r end;" + " kill -CONT \"$1\"";

    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Stopped, stopped by a debugger, and what has ended. */
    private static final String STILL = "TtZXx";

    private final long pid;
    private final @Nullable Process guard;

    private ProcessPause(long pid, @Nullable Process guard) {
        this.pid = pid;
        this.guard = guard;
    }

    /**
     * Returns when none of its threads runs any more. One that stood still before is left so in the end.
     *
     * @throws IOException when it cannot be stopped; it runs on then
     */
    public static ProcessPause of(long pid) throws IOException {
        Path tasks = Path.of("/proc").resolve(Long.toString(pid)).resolve("task");
        if (standsStill(tasks)) {
            return new ProcessPause(pid, null);
        }
        Process guard = new ProcessBuilder("sh", "-c", GUARD, "sh", Long.toString(pid))
                .redirectErrorStream(true)
                .start();
        ProcessPause pause = new ProcessPause(pid, guard);
        boolean still = false;
        try {
            // One at a time: the guard says nothing more, or is at its end.
            BufferedReader said = guard.inputReader(StandardCharsets.UTF_8);
            String refusal = said.readLine();
            if (refusal == null || !refusal.isEmpty()) {
                throw new IOException("process " + pid + " cannot be stopped: " + refusal);
            }
            awaitStandstill(tasks, pid);
            still = true;
            return pause;
        } finally {
            if (!still) {
                pause.close();
            }
        }
    }

    private static void awaitStandstill(Path tasks, long pid) throws IOException {
        Deadline deadline = new Deadline(STANDSTILL);
        while (!standsStill(tasks)) {
            if (deadline.over()) {
                throw new IOException("process " + pid + " did not stand still within " + deadline
                        + (pid == 1 ? ": number 1 of a container can only be stopped from outside of it" : ""));
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while process " + pid + " was being stopped");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** The signal is for all threads, but each ends its system call first. */
    private static boolean standsStill(Path tasks) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
            for (Path task : all) {
                if (STILL.indexOf(state(task)) < 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private static char state(Path task) {
        try {
            String stat = new String(Files.readAllBytes(task.resolve("stat")), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException | RuntimeException e) {
            return 'X'; // it has ended meanwhile
        }
    }

    /** Whether somebody else had stopped it. */
    public boolean before() {
        return guard == null;
    }

    /**
     * Has it go on.
     *
     * @throws IOException when it may still stand still
     */
    @Override
    public void close() throws IOException {
        if (guard != null && !endsWell(guard)) {
            Program.Output output = Program.run(
                    List.of("sh", "-c", "kill -CONT \"$1\"", "sh", Long.toString(pid)), new Deadline(STANDSTILL));
            if (output.code() != 0 && ProcessHandle.of(pid).isPresent()) {
                throw new IOException("process " + pid + " may still be stopped: continue it with kill -CONT " + pid);
            }
        }
    }

    private static boolean endsWell(Process guard) throws IOException {
        guard.getOutputStream().close();
        try {
            return guard.waitFor(STANDSTILL.toSeconds(), TimeUnit.SECONDS) && guard.exitValue() == 0;
        } catch (InterruptedException e) {
            // It goes its way: the end of its input is all that the guard waits for.
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
