package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the processes that hold the files of a database: through {@code /proc}, and where that is hidden through the
 * program {@code lsof}. Seen from inside a container, the processes are those of the container. Any thread may ask.
 */
public final class Holders {

    private final Path proc;
    private final String lsofProgram;
    private final Lsof lsof;

    /** As on every Linux: {@code /proc}, and {@code lsof} from the path. */
    public Holders() {
        this(Path.of("/proc"), "lsof");
    }

    /**
     * @param proc where the proc file system is mounted
     * @param lsofProgram the name of the program to fall back to
     */
    public Holders(Path proc, String lsofProgram) {
        this.proc = proc;
        this.lsofProgram = lsofProgram;
        this.lsof = new Lsof(lsofProgram);
    }

    /**
     * Every process that holds one of the three files: what is at the path now, what has an id that is known from before,
     * or what the system calls by the path, with or without its remark {@code (deleted)}.
     *
     * @param main the database file, which need not exist any more
     * @param alsoKnown ids of files that this process still holds (an id that nobody holds may belong to a new file)
     * @param limit how long the search may take; what was found until then is the answer
     * @throws IOException when there is no way to ask, or the paths cannot be looked at
     */
    public Scan find(Path main, Map<DatabaseFile, Set<FileId>> alsoKnown, Duration limit) throws IOException {
        Deadline deadline = new Deadline(limit);
        Sought sought = new Sought(main, alsoKnown);
        if (new OwnDescriptors(proc).readable()) {
            return new ProcHolders(proc, sought, deadline).scan();
        }
        try {
            return byLsof(sought, deadline);
        } catch (IOException e) {
            throw new IOException("no descriptors in " + proc + ", and " + e.getMessage(), e);
        }
    }

    /**
     * Every other process that holds files of these databases, in one scan: files that are at the paths, and files that
     * are not there any more but are still open for writing. The programs that are run from here, such as the {@code dd}
     * of a backup, are no others. Only through {@code /proc}, since it is asked often.
     *
     * @param mains the database files
     * @param limit how long the search may take; what was found until then is the answer
     * @return by database file, those that nobody else holds left out
     * @throws IOException when the processes cannot be listed
     */
    public Map<Path, List<Holder>> foreign(Collection<Path> mains, Duration limit) throws IOException {
        return new ForeignScan(proc, new SoughtAll(mains), new Deadline(limit)).scan();
    }

    /**
     * The regular files that this process holds, through lsof only: for systems without {@code /proc}.
     *
     * @throws IOException when lsof is absent, fails, or does not end within the limit
     */
    public List<Descriptor> ownByLsof(Duration limit) throws IOException {
        Deadline deadline = new Deadline(limit);
        Lsof.Answer answer = askOwn(deadline);
        if (!answer.ended()) {
            throw new IOException(lsofProgram + " was stopped after " + deadline);
        }
        return answer.processes().stream()
                .flatMap(process -> process.files().stream())
                .map(Lsof.OpenFile::descriptor)
                .toList();
    }

    private Scan byLsof(Sought sought, Deadline deadline) throws IOException {
        List<Lsof.OpenFiles> processes = new ArrayList<>();
        Lsof.Answer own = askOwn(deadline);
        processes.addAll(own.processes());
        boolean ended = own.ended();
        if (ended) {
            List<String> paths =
                    sought.presentPaths().stream().map(Path::toString).toList();
            Lsof.Answer others = lsof.ofFiles(paths, deadline);
            others.processes().stream()
                    .filter(process -> process.pid() != self())
                    .forEach(processes::add);
            ended = others.ended();
        }
        List<Holder> holders = new ArrayList<>();
        processes.forEach(process -> addIfHolding(process, sought, holders));
        holders.sort(Comparator.comparingLong(Holder::pid));
        return Scan.of(holders, unseen(ended, deadline));
    }

    private List<String> unseen(boolean ended, Deadline deadline) {
        List<String> unseen = new ArrayList<>();
        if (!"root".equals(System.getProperty("user.name"))) {
            unseen.add(lsofProgram + " may not look at processes of other users");
        }
        if (!ended) {
            unseen.add("stopped after " + deadline);
        }
        return unseen;
    }

    private static void addIfHolding(Lsof.OpenFiles process, Sought sought, List<Holder> holders) {
        List<HeldFile> held = new ArrayList<>();
        for (Lsof.OpenFile file : process.files()) {
            Descriptor descriptor = file.descriptor();
            HeldFile match = sought.match(descriptor, descriptor.deleted() || file.links() == 0, fd -> file.locks());
            if (match != null) {
                held.add(match);
            }
        }
        if (!held.isEmpty()) {
            long pid = process.pid();
            holders.add(Holder.of(pid, process.command(), process.user(), pid == self(), held));
        }
    }

    /** This process always holds something: an answer without it is no answer. */
    private Lsof.Answer askOwn(Deadline deadline) throws IOException {
        Lsof.Answer answer = lsof.ofProcess(self(), deadline);
        if (answer.ended() && answer.processes().stream().noneMatch(process -> process.pid() == self())) {
            throw new IOException(lsofProgram + " says nothing of this process");
        }
        return answer;
    }

    private static long self() {
        return ProcessHandle.current().pid();
    }
}
