package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One scan of the processes in {@code /proc} for all that hold the files of one database. */
final class ProcHolders {

    private final ProcWalk walk;
    private final Sought sought;
    // Written by the scanning thread, read by the one that waits for it.
    private final List<Holder> holders = new CopyOnWriteArrayList<>();

    ProcHolders(Path proc, Sought sought, Deadline deadline) {
        this.walk = new ProcWalk(proc, deadline);
        this.sought = sought;
    }

    /** What could be seen until the deadline. */
    Scan scan() throws IOException {
        List<String> unseen = walk.walk(this::look);
        List<Holder> found = new ArrayList<>(holders);
        found.sort(Comparator.comparingLong(Holder::pid));
        return Scan.of(found, unseen);
    }

    private void look(Path process, long pid, boolean self) {
        List<HeldFile> held = new ArrayList<>();
        walk.files(process, descriptor -> {
            HeldFile file = sought.match(descriptor, descriptor.deleted(), fd -> locks(process, fd));
            if (file != null) {
                held.add(file);
            }
            return true;
        });
        if (!held.isEmpty()) {
            held.sort(Comparator.comparingInt(HeldFile::fd));
            holders.add(Holder.of(pid, ProcWalk.command(process), Holder.owner(process), self, held));
        }
    }

    static List<PosixLock> locks(Path process, int fd) {
        try {
            return ProcDescriptors.locks(process, fd);
        } catch (IOException e) {
            return List.of(); // that it holds the file is worth telling, too
        }
    }
}
