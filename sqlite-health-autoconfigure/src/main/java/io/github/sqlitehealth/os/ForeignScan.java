package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One scan of the processes in {@code /proc}, except this one and the programs that it runs itself, for all that hold the
 * files of many databases. A file that has lost its name counts only where it can be told to be ours and to be written.
 */
final class ForeignScan {

    private final ProcWalk walk;
    private final SoughtAll sought;
    // Written by the scanning thread, read by the one that waits for it.
    private final Map<Path, List<Holder>> found = new ConcurrentHashMap<>();

    ForeignScan(Path proc, SoughtAll sought, Deadline deadline) {
        this.walk = new ProcWalk(proc, deadline);
        this.sought = sought;
    }

    /** What could be seen until the deadline, by database and process number. */
    Map<Path, List<Holder>> scan() throws IOException {
        walk.walk(this::look);
        Map<Path, List<Holder>> sorted = new HashMap<>();
        found.forEach((main, holders) -> sorted.put(
                main,
                holders.stream().sorted(Comparator.comparingLong(Holder::pid)).toList()));
        return sorted;
    }

    private void look(Path process, long pid, boolean self) {
        if (self || Program.isRunning(pid)) {
            return;
        }
        Map<Path, List<HeldFile>> held = new HashMap<>();
        walk.files(process, descriptor -> {
            SoughtAll.Target target = sought.present(descriptor);
            boolean stale = target == null;
            if (stale) {
                target = sought.named(descriptor, process);
            }
            if (target != null && (!stale || isWritable(process, descriptor))) {
                held.computeIfAbsent(target.main(), main -> new ArrayList<>())
                        .add(new HeldFile(
                                descriptor.fd(),
                                target.file().key(),
                                descriptor.id().inode(),
                                descriptor.deleted(),
                                stale,
                                stale ? List.of() : ProcHolders.locks(process, descriptor.fd())));
            }
            return true;
        });
        held.forEach((main, files) -> {
            files.sort(Comparator.comparingInt(HeldFile::fd));
            Holder holder = Holder.of(pid, ProcWalk.command(process), Holder.owner(process), false, files);
            // A list of its own for each addition, since the one that waits may read it at any time.
            found.merge(main, List.of(holder), ForeignScan::joined);
        });
    }

    private static List<Holder> joined(List<Holder> some, List<Holder> others) {
        List<Holder> all = new ArrayList<>(some);
        all.addAll(others);
        return List.copyOf(all);
    }

    /** Whoever only reads a file, a backup or a {@code tail}, does no harm to another when it closes. */
    private static boolean isWritable(Path process, Descriptor descriptor) {
        try {
            Path fdinfo = process.resolve("fdinfo").resolve(Integer.toString(descriptor.fd()));
            return Files.readAllLines(fdinfo, ISO_8859_1).stream()
                    .filter(line -> line.startsWith("flags:"))
                    .map(line -> line.substring("flags:".length()).strip())
                    .anyMatch(flags -> (Integer.parseInt(flags, 8) & 3) != 0);
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }
}
