package io.github.sqlitehealth.os;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * One walk over the processes in {@code /proc}. It runs in a thread of its own: a look at a file on a dead network mount
 * may never come back, and whoever asks must not stay there with it.
 */
final class ProcWalk {

    private static final Duration GRACE = Duration.ofMillis(100);

    /** In the flags of {@code /proc/<pid>/stat}: a thread of the kernel, which holds no files. */
    private static final long KERNEL_THREAD = 0x00200000;

    private static final int FLAGS_AFTER_NAME = 6;

    private static final String ENDED = "Z";

    private final Path proc;
    private final Deadline deadline;
    private final AtomicInteger unreadable = new AtomicInteger();
    private volatile boolean stopped;

    ProcWalk(Path proc, Deadline deadline) {
        this.proc = proc;
        this.deadline = deadline;
    }

    /** Looks at one process, on the thread of the walk. */
    interface Visitor {
        void look(Path process, long pid, boolean self);
    }

    /**
     * Shows every process to the visitor until the deadline, this one first: if the time is too short for all, the one
     * that matters most has been seen.
     *
     * @return what could not be seen, in words
     */
    List<String> walk(Visitor visitor) throws IOException {
        FutureTask<Boolean> look = new FutureTask<>(() -> lookAtAll(visitor));
        Thread thread = new Thread(look, "sqlite-health-holders");
        thread.setDaemon(true);
        thread.start();
        try {
            look.get(deadline.nanosLeft() + GRACE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            stopped = true;
        } catch (ExecutionException e) {
            throw new IOException("the processes in " + proc + " cannot be listed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            stopped = true;
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while looking for processes");
        }
        return unseen();
    }

    private boolean lookAtAll(Visitor visitor) throws IOException {
        long self = self();
        visitor.look(proc.resolve(Long.toString(self)), self, true);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(proc)) {
            for (Path entry : entries) {
                long pid = pid(entry);
                if (!goesOn()) {
                    return false;
                }
                if (pid > 0 && pid != self) {
                    visitor.look(entry, pid, false);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return !stopped;
    }

    /** Shows the regular files that a process holds, until the deadline. */
    void files(Path process, Predicate<Descriptor> visitor) {
        try {
            ProcDescriptors.visit(process, descriptor -> visitor.test(descriptor) && goesOn());
        } catch (AccessDeniedException e) {
            unreadable.addAndGet(holdsNothing(process) ? 0 : 1);
        } catch (IOException e) {
            // The process has ended; what was seen of it until then still counts.
        }
    }

    private boolean goesOn() {
        stopped = stopped || deadline.over();
        return !stopped;
    }

    private List<String> unseen() {
        List<String> unseen = new ArrayList<>();
        int count = unreadable.get();
        if (count > 0) {
            unseen.add((count == 1 ? "1 process" : count + " processes") + " could not be read for lack of permission");
        }
        // Process 1 exists wherever there is a process; the mount option hidepid keeps those of others out of sight.
        if (!Files.exists(proc.resolve("1"))) {
            unseen.add("processes of other users are hidden");
        }
        if (stopped) {
            unseen.add("stopped after " + deadline);
        }
        return unseen;
    }

    /** The number by which this mount of proc knows us, which is another one if it belongs to an outer namespace. */
    private long self() {
        try {
            return Long.parseLong(Files.readSymbolicLink(proc.resolve("self")).toString());
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.current().pid();
        }
    }

    private static long pid(Path entry) {
        try {
            return Long.parseLong(String.valueOf(entry.getFileName()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static String command(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("comm"))).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** A thread of the kernel, or a process that has ended and waits for its parent to notice. */
    private static boolean holdsNothing(Path process) {
        try {
            String stat = new String(Files.readAllBytes(process.resolve("stat")));
            String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return afterName[0].equals(ENDED) || (Long.parseLong(afterName[FLAGS_AFTER_NAME]) & KERNEL_THREAD) != 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
