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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * One walk over the processes in {@code /proc}. It runs in a thread of its own: a look at a file on a dead network mount
 * may never come back, and whoever asks must not stay there with it.
 */
final class ProcWalk {

    private static final Duration GRACE = Duration.ofMillis(100);

    /** In the flags of {@code /proc/<pid>/stat}: a thread of the kernel, which holds no files. */
    private static final long KERNEL_THREAD = 0x00200000;

    private static final int FLAGS_AFTER_NAME = 6;

    private static final Set<String> ENDED = Set.of("Z", "X", "x");

    /** More of them are only counted. */
    private static final int MOST_NAMED = 3;

    private final Path proc;
    private final Deadline deadline;
    private final Queue<Path> unreadable = new ConcurrentLinkedQueue<>();
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
            if (!holdsNothing(process)) {
                unreadable.add(process);
            }
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
        if (!unreadable.isEmpty()) {
            unseen.add(named(List.copyOf(unreadable)) + " could not be read for lack of permission");
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

    /** Whether it matters is for people to judge. */
    private static String named(List<Path> processes) {
        return processes.size() > MOST_NAMED
                ? processes.size() + " processes"
                : processes.stream()
                        .map(process -> "process " + process.getFileName() + " (" + command(process) + ")")
                        .collect(Collectors.joining(", "));
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

    /**
     * A thread of the kernel, or a process that has ended, whether its parent has noticed or not: the system denies the
     * look at a descriptor of one that is gone, too.
     */
    static boolean holdsNothing(Path process) {
        try {
            String stat = new String(Files.readAllBytes(process.resolve("stat")));
            String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return ENDED.contains(afterName[0]) || (Long.parseLong(afterName[FLAGS_AFTER_NAME]) & KERNEL_THREAD) != 0;
        } catch (IOException e) {
            return !Files.exists(process);
        } catch (RuntimeException e) {
            return false;
        }
    }
}
