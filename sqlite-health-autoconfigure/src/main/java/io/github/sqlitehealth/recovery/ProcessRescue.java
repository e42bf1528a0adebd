package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.ProcessFile;
import io.github.sqlitehealth.os.ProcessFiles;
import io.github.sqlitehealth.os.ProcessPause;
import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.recovery.HeldDatabase.Generation;
import io.github.sqlitehealth.recovery.ProcessRescueReport.Copy;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Copies a database out of a process that holds its files, whether they still have names or not, while that process stands
 * still. It notices nothing but the pause: its descriptors and locks stay as they are.
 */
public final class ProcessRescue {

    private final ProcessRescueRequest request;
    private final ProcessFiles files;
    private final Timepiece time;

    private ProcessRescue(ProcessRescueRequest request, Timepiece time) {
        this.request = request;
        this.files = new ProcessFiles(request.pid());
        this.time = time;
    }

    /**
     * Does it.
     *
     * @throws RescueRefusedException when nothing could be copied
     */
    public static ProcessRescueReport run(ProcessRescueRequest request) throws RescueRefusedException {
        return new ProcessRescue(request, Timepiece.system()).run();
    }

    private ProcessRescueReport run() throws RescueRefusedException {
        if (request.pid() == ProcessHandle.current().pid()) {
            throw new RescueRefusedException("process " + request.pid() + " is this very command");
        }
        HeldDatabase database = choose();
        List<Copy> planned = new ArrayList<>();
        for (Generation generation : database.generations()) {
            planned.add(new Copy(target(planned.size(), database).toString(), generation.described(), 0, null, null));
        }
        if (request.dryRun()) {
            return report(database, null, planned, List.of());
        }
        for (Copy copy : planned) {
            refuseIfThere(Path.of(copy.file()));
        }
        Path folder = request.to().resolveSibling(request.to().getFileName() + ".rescuing");
        try (RescuedPairs pairs = RescuedPairs.in(folder, files.toString(), database.generations())) {
            return copied(pairs);
        } catch (IOException ex) {
            throw new RescueRefusedException("nothing was copied out of " + files + ": " + why(ex));
        }
    }

    private ProcessRescueReport copied(RescuedPairs pairs) throws IOException, RescueRefusedException {
        List<String> notes = new ArrayList<>();
        HeldDatabase database;
        Duration standstill = null;
        long start = time.ticker().getAsLong();
        try (ProcessPause pause = pause(notes)) {
            // Once more: until it stood still it may have opened and closed.
            database = choose();
            pairs.copy(database.generations());
            standstill = pause == null || pause.before()
                    ? null
                    : Duration.ofNanos(time.ticker().getAsLong() - start);
        }
        List<Copy> copies = new ArrayList<>();
        for (Generation generation : database.generations()) {
            int number = copies.size();
            copies.add(pairs.install(number, target(number, database), generation, request.checkLimit(), time));
        }
        if (copies.size() > 1) {
            notes.add(
                    "the process uses several generations of the files, so there are several copies: none of them need"
                            + " hold the rows of another; compare them before you put one in place");
        }
        return report(database, standstill, copies, notes);
    }

    private @Nullable ProcessPause pause(List<String> notes) throws IOException {
        try {
            ProcessPause pause = ProcessPause.of(request.pid());
            if (pause.before()) {
                notes.add("the process stood still before and still does: continue it with kill -CONT " + request.pid()
                        + ", or kill it");
            }
            return pause;
        } catch (IOException ex) {
            if (!request.force()) {
                throw ex;
            }
            notes.add("the process ran on (" + ex.getMessage()
                    + "): the copy holds what had been committed when it was begun");
            return null;
        }
    }

    private HeldDatabase choose() throws RescueRefusedException {
        List<ProcessFile> held = held();
        List<HeldDatabase> databases = HeldDatabase.of(held, ProcessFile::isDatabase);
        List<HeldDatabase> wanted = databases.stream()
                .filter(database -> request.database() == null || isMeant(database, request.database()))
                .toList();
        String all = databases.stream().map(HeldDatabase::name).collect(Collectors.joining(", "));
        if (databases.isEmpty()) {
            throw new RescueRefusedException(files + " holds no SQLite database; name the process that does");
        }
        if (wanted.isEmpty()) {
            throw new RescueRefusedException(
                    files + " does not hold " + request.database() + "; name one of --database=" + all);
        }
        if (wanted.size() > 1) {
            throw new RescueRefusedException(files + " holds several databases; name one of them: --database=" + all);
        }
        HeldDatabase database = wanted.get(0);
        if (database.generations().isEmpty()) {
            throw new RescueRefusedException(files + " holds -wal of " + database.name()
                    + " and not the main file, or several that it could belong to: copy its files by hand");
        }
        refuseIfOwn(files, database);
        return database;
    }

    private static boolean isMeant(HeldDatabase database, Path wanted) {
        return database.isCalled(wanted.toString())
                || database.isCalled(RealPath.of(wanted).toString());
    }

    private List<ProcessFile> held() throws RescueRefusedException {
        try {
            return files.list();
        } catch (NoSuchFileException ex) {
            throw new RescueRefusedException("there is no process " + request.pid()
                    + " here: use the number that it has in this container or on this machine (and only Linux shows"
                    + " the files of a process)");
        } catch (IOException ex) {
            throw new RescueRefusedException("the files of " + files + " cannot be seen: " + why(ex));
        }
    }

    /** Opening and closing what this process holds, too, would drop its own locks. */
    private static void refuseIfOwn(ProcessFiles files, HeldDatabase database) throws RescueRefusedException {
        try {
            List<FileId> own =
                    new OwnDescriptors().held().stream().map(Descriptor::id).toList();
            if (database.generations().stream()
                    .anyMatch(generation -> own.contains(generation.main().id()))) {
                throw new RescueRefusedException(
                        database.name() + " of " + files + " is open in this process, too: use the command line");
            }
        } catch (IOException ex) {
            throw new RescueRefusedException("the files of this process cannot be seen: " + why(ex));
        }
    }

    private static String why(IOException ex) {
        return ex instanceof AccessDeniedException
                ? "permission denied for " + ex.getMessage()
                        + "; run this as the user of the process, or as root with the right to trace it (CAP_SYS_PTRACE)"
                : String.valueOf(ex.getMessage());
    }

    private Path target(int number, HeldDatabase database) {
        return database.generations().size() == 1
                ? request.to()
                : request.to().resolveSibling(request.to().getFileName() + "." + (number + 1));
    }

    private static void refuseIfThere(Path target) throws RescueRefusedException {
        for (String end : DatabaseFiles.ALL) {
            Path file = DatabaseFiles.beside(target, end);
            if (Files.exists(file)) {
                throw new RescueRefusedException(file + " is there already: name another file with --to");
            }
        }
    }

    private ProcessRescueReport report(
            HeldDatabase database, @Nullable Duration standstill, List<Copy> copies, List<String> notes) {
        return new ProcessRescueReport(request.pid(), files.command(), database.name(), standstill, copies, notes);
    }
}
