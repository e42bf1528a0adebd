package io.github.sqlitehealth.os;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Runs one program with a limit. */
final class Program {

    private static final int MOST_BYTES = 4 << 20;
    private static final long LAST_WORDS_MILLIS = 500;

    private static final Set<Long> RUNNING = ConcurrentHashMap.newKeySet();

    private Program() {}

    /** Whether this process was started here and has not ended yet. */
    static boolean isRunning(long pid) {
        return RUNNING.contains(pid);
    }

    /**
     * @param text the whole lines that it wrote to its standard output, 4 MB at most
     * @param ended whether it came to its own end; otherwise it was killed at the limit and the text is a part
     * @param code its exit code, -1 when it was killed
     */
    record Output(String text, boolean ended, int code) {}

    /**
     * Runs it and waits. Its output is read by a thread of its own, so that neither can wait for the other.
     *
     * @throws IOException when there is no such program, or when this thread is interrupted
     */
    static Output run(List<String> command, Deadline deadline) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        // One way to write names and numbers, whatever the language of this process.
        builder.environment().put("LC_ALL", "C");
        Process process = start(builder);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Thread reader = new Thread(() -> drain(process.getInputStream(), said), "sqlite-health-program-output");
        reader.setDaemon(true);
        reader.start();
        try {
            process.getOutputStream().close();
            boolean ended = process.waitFor(deadline.nanosLeft(), TimeUnit.NANOSECONDS);
            if (!ended) {
                kill(process);
            }
            reader.join(LAST_WORDS_MILLIS);
            return new Output(wholeLines(said), ended, ended ? process.exitValue() : -1);
        } catch (InterruptedException e) {
            kill(process);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while " + command.get(0) + " was running");
        }
    }

    /** Half a number looks like a number: what follows the last line end is left out. */
    private static String wholeLines(ByteArrayOutputStream said) {
        String text = said.toString(Charset.defaultCharset()); // ASCII, which every encoding keeps
        return text.substring(0, text.lastIndexOf('\n') + 1);
    }

    private static Process start(ProcessBuilder builder) throws IOException {
        try {
            Process process = builder.start();
            RUNNING.add(process.pid());
            process.onExit().thenRun(() -> RUNNING.remove(process.pid()));
            return process;
        } catch (IOException e) {
            throw new IOException(builder.command().get(0) + " is absent: " + e.getMessage(), e);
        }
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static void drain(InputStream from, ByteArrayOutputStream into) {
        byte[] buffer = new byte[8192];
        try {
            for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                if (into.size() < MOST_BYTES) {
                    into.write(buffer, 0, read);
                }
            }
        } catch (IOException e) {
            // The program was killed: what it said until then is what there is.
        }
    }
}
