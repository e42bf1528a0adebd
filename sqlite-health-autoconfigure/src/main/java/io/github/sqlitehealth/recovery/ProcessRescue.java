package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.ProcessFiles;
import io.github.sqlitehealth.os.ProcessPause;
import io.github.sqlitehealth.recovery.HeldDatabase.Generation;
import io.github.sqlitehealth.recovery.ProcessRescueReport.Copy;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies a database out of a process that holds its files, whether they still have names or not, while that process stands
 * still. It notices nothing but the pause: its descriptors and locks stay as they are.
 */
public final class ProcessRescue {

    private final ProcessRescueRequest request;
    private final ProcessFiles files;
    private final HeldChoice choice;
    private final Timepiece time;

    private ProcessRescue(ProcessRescueRequest request, Timepiece time) {
        this.request = request;
        this.files = new ProcessFiles(request.pid());
        this.choice = new HeldChoice(request, files);
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
        HeldDatabase database = choice.make();
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
            throw new RescueRefusedException("nothing was copied out of " + files + ": " + HeldChoice.why(ex));
        }
    }

    private ProcessRescueReport copied(RescuedPairs pairs) throws IOException, RescueRefusedException {
        List<String> notes = new ArrayList<>();
        HeldDatabase database;
        Duration standstill = null;
        long start = time.ticker().getAsLong();
        try (ProcessPause pause = pause(notes)) {
            // Once more: until it stood still it may have opened and closed.
            database = choice.make();
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
