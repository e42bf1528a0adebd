package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.ProcessFile;
import io.github.sqlitehealth.os.ProcessFiles;
import io.github.sqlitehealth.os.RealPath;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Which of the databases that a process holds is meant. */
record HeldChoice(ProcessRescueRequest request, ProcessFiles files) {

    /** The one; asked again, what it is by then. */
    HeldDatabase make() throws RescueRefusedException {
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
        refuseIfOwn(database);
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
    private void refuseIfOwn(HeldDatabase database) throws RescueRefusedException {
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

    /** For people. */
    static String why(IOException ex) {
        return ex instanceof AccessDeniedException
                ? "permission denied for " + ex.getMessage()
                        + "; run this as the user of the process, or as root with the right to trace it (CAP_SYS_PTRACE)"
                : String.valueOf(ex.getMessage());
    }
}
