package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a full check says of a database that other processes may be using.
 *
 * @param database the main file
 * @param state what it is like
 * @param text the same in one line, for people
 * @param stranded processes that write into files of it which are not at its place: what they have written is not in what
 *     was checked
 * @param notes what somebody should know
 */
public record DatabaseCheck(String database, State state, String text, List<String> stranded, List<String> notes) {

    public DatabaseCheck {
        stranded = List.copyOf(stranded);
        notes = List.copyOf(notes);
    }

    /**
     * Checks. Nothing is created beside a database that nobody uses, nor beside one whose users have been stranded.
     *
     * @param forensics where what was in it is remembered
     * @throws RestoreRefusedException when the thread is interrupted meanwhile
     */
    public static DatabaseCheck of(Path database, Path forensics, Duration limit) throws RestoreRefusedException {
        Path main = RealPath.of(database);
        DatabaseUsers users = DatabaseUsers.of(main);
        List<String> stranded = users.stranded();
        boolean alone = !users.any() || !stranded.isEmpty() && !Files.exists(DatabaseFiles.beside(main, "-wal"));
        Optional<Remembered> memory = Memory.peek(new ForensicsDirectory(forensics), main);
        PresentDatabase present =
                new Examination(main, alone, ContentRules.NONE, memory, Timepiece.system()).ask(Check.FULL, limit);
        List<String> notes = new ArrayList<>();
        stranded.forEach(process -> notes.add(
                process + " is stranded: it writes into files that are no longer at the place; see rescue --pid"));
        if (Files.exists(RestoreJournal.beside(main))) {
            notes.add("a restore was interrupted or is going on; the next start or restore finishes it");
        }
        if (!users.unseen().isEmpty()) {
            notes.add("not all processes could be asked whether they hold it: " + users.unseen());
        }
        return new DatabaseCheck(main.toString(), present.state(), main + " " + present.condition(), stranded, notes);
    }
}
