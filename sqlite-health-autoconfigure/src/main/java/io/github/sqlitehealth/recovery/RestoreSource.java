package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The copy that shall become the database: whether it may. */
final class RestoreSource {

    /** For the journal, the report and what else is written meanwhile. */
    private static final long MARGIN = 1 << 20;

    private final Timepiece time;

    RestoreSource(Timepiece time) {
        this.time = time;
    }

    /** @throws RestoreRefusedException when it may not, in one line */
    CopyFacts validate(
            RestoreRequest request, Path from, Path main, PresentDatabase present, Optional<Remembered> memory)
            throws RestoreRefusedException {
        if (isSame(from, main)) {
            throw new RestoreRefusedException(from + " is the database itself: name a copy of it");
        }
        try {
            CopyFacts facts = inspect(from, request.demands().rules(), request.checkLimit());
            refuseAnotherApplications(from, facts, request.demands(), present);
            refuseNewer(from, facts, request.demands(), present);
            if (!request.force()) {
                refuseEmptied(from, request.demands().rules(), memory);
            }
            refuseWithoutRoom(facts.bytes(), main);
            return facts;
        } catch (CopyRefusedException ex) {
            throw new RestoreRefusedException(ex.getMessage() + "; nothing is restored from it");
        }
    }

    /** A full check, and whether all is there that must be. */
    CopyFacts inspect(Path file, ContentRules rules, Duration limit) throws CopyRefusedException {
        CopyFacts facts = new CopyInspector(time).inspect(file, limit);
        ContentWitness witness = ContentWitness.ofUnused(file, rules, Optional.empty(), time);
        Testimony said = witness.ask();
        Content content = witness.present().orElse(null);
        List<String> broken = content == null ? List.of() : rules.brokenBy(content);
        if (content == null || !broken.isEmpty()) {
            throw new CopyRefusedException(file + " does not hold what must be there: "
                    + (content == null ? said.text() : String.join(", ", broken)));
        }
        return facts;
    }

    private static void refuseAnotherApplications(
            Path from, CopyFacts facts, RestoreDemands demands, PresentDatabase present)
            throws RestoreRefusedException {
        Long expected = present.applicationId() == null ? demands.applicationId() : present.applicationId();
        if (expected != null && expected != facts.applicationId()) {
            throw new RestoreRefusedException(from + " belongs to another application: its application id is "
                    + facts.applicationId() + ", that of the database is " + expected);
        }
    }

    private static void refuseNewer(Path from, CopyFacts facts, RestoreDemands demands, PresentDatabase present)
            throws RestoreRefusedException {
        Long newest = demands.maxUserVersion() == null ? present.userVersion() : demands.maxUserVersion();
        if (newest != null && facts.userVersion() > newest) {
            throw new RestoreRefusedException(from + " is newer than the application: its user version is "
                    + facts.userVersion() + ", and " + newest
                    + (demands.maxUserVersion() == null
                            ? " is that of the database"
                            : " is the newest that is supported"));
        }
    }

    /** A backup of a database that had been emptied already is sound and worth nothing. */
    private void refuseEmptied(Path from, ContentRules rules, Optional<Remembered> memory)
            throws RestoreRefusedException {
        Testimony said = ContentWitness.ofUnused(from, rules, memory.map(Remembered::content), time)
                .ask();
        if (said.bad()) {
            throw new RestoreRefusedException(
                    from + " does not hold what the database has held: " + said.text() + "; force it if that is meant");
        }
    }

    private static void refuseWithoutRoom(long bytes, Path main) throws RestoreRefusedException {
        Path directory = main.toAbsolutePath().getParent();
        try {
            long free = Files.getFileStore(directory).getUsableSpace();
            if (free < bytes + MARGIN) {
                throw new RestoreRefusedException("there is too little room in " + directory + ": the copy needs "
                        + bytes + " bytes and 1 MB more, " + free + " are free");
            }
        } catch (IOException ex) {
            throw new RestoreRefusedException("how much room there is in " + directory + " cannot be told: " + ex);
        }
    }

    private static boolean isSame(Path from, Path main) {
        try {
            return Files.exists(main) && Files.isSameFile(from, main);
        } catch (IOException ex) {
            // That it cannot be looked at is for the check to say.
            return false;
        }
    }

    /** What tells a copy from another one of the same name. */
    static @Nullable String identity(@Nullable Path from) throws RestoreRefusedException {
        try {
            FileFacts facts = from == null ? null : FileFacts.of(from);
            if (facts == null) {
                return null;
            }
            FileId id = facts.id();
            String known = id == null ? "" : "device " + id.device() + ", inode " + id.inode() + ", ";
            return known + facts.size() + " bytes of " + facts.modified();
        } catch (IOException ex) {
            throw new RestoreRefusedException(from + " cannot be looked at: " + ex);
        }
    }
}
