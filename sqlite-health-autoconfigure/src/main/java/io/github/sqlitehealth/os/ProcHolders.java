package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** One scan of the processes in {@code /proc}. */
final class ProcHolders {

    /** In the flags of {@code /proc/<pid>/stat}: a thread of the kernel, which holds no files. */
    private static final long KERNEL_THREAD = 0x00200000;

    private static final int FLAGS_AFTER_NAME = 6;

    private final Path proc;
    private final Sought sought;
    private final Deadline deadline;
    private final List<Holder> holders = new ArrayList<>();
    private int unreadable;
    private boolean stopped;

    ProcHolders(Path proc, Sought sought, Deadline deadline) {
        this.proc = proc;
        this.sought = sought;
        this.deadline = deadline;
    }

    Scan scan() throws IOException {
        long self = self();
        // The own process first: if the time is too short for all, the one that matters most has been seen.
        look(proc.resolve(Long.toString(self)), self, true);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(proc)) {
            for (Path entry : entries) {
                long pid = pid(entry);
                if (deadline.over()) {
                    stopped = true;
                } else if (pid > 0 && pid != self) {
                    look(entry, pid, false);
                }
                if (stopped) {
                    break;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        holders.sort(Comparator.comparingLong(Holder::pid));
        return Scan.of(holders, unseen());
    }

    private List<String> unseen() {
        List<String> unseen = new ArrayList<>();
        if (unreadable > 0) {
            unseen.add(
                    unreadable == 1
                            ? "1 process of another user could not be read"
                            : unreadable + " processes of other users could not be read");
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

    private void look(Path process, long pid, boolean self) {
        List<HeldFile> held = new ArrayList<>();
        try {
            ProcDescriptors.visit(process, descriptor -> {
                HeldFile file =
                        sought.match(descriptor, descriptor.deleted(), fd -> ProcDescriptors.locks(process, fd));
                if (file != null) {
                    held.add(file);
                }
                stopped = deadline.over();
                return !stopped;
            });
        } catch (AccessDeniedException e) {
            unreadable += kernelThread(process) ? 0 : 1;
        } catch (IOException e) {
            // The process has ended; what was seen of it until then still counts.
        }
        if (!held.isEmpty()) {
            held.sort(Comparator.comparingInt(HeldFile::fd));
            holders.add(Holder.of(pid, command(process), Holder.owner(process), self, held));
        }
    }

    private static String command(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("comm"))).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean kernelThread(Path process) {
        try {
            String stat = new String(Files.readAllBytes(process.resolve("stat")));
            String[] afterName = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(afterName[FLAGS_AFTER_NAME]) & KERNEL_THREAD) != 0;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
