package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.recovery.DatabaseStatus.FileStatus;
import io.github.sqlitehealth.witness.Content;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What speaks against a database, as far as that can be known without asking it.
 *
 * @param verdict absent where it is none of these
 * @param text the same in words
 */
record Objection(@Nullable Verdict verdict, String text) {

    /** The first one; {@code null} when nothing speaks against it. */
    static @Nullable Objection to(
            Path main,
            @Nullable FileStatus file,
            boolean interrupted,
            DatabaseUsers users,
            Optional<Remembered> memory,
            @Nullable CorruptMarker marker) {
        if (interrupted) {
            return new Objection(null, "is being restored, or that was interrupted");
        }
        if (Files.isDirectory(main)) {
            return new Objection(null, PresentDatabase.DIRECTORY);
        }
        if (file == null) {
            return new Objection(Verdict.MISSING, "does not exist");
        }
        if (!users.stranded().isEmpty()) {
            String text = "is not what " + String.join(", ", users.stranded())
                    + " writes into: files of that process are no longer at the place";
            return new Objection(Verdict.STRANDED, text);
        }
        RememberedFinding found = memory.flatMap(
                        known -> known.findingsOfTheFiles().stream().findFirst())
                .orElse(null);
        if (found != null) {
            return new Objection(
                    found.verdict(), "is " + found.verdict() + " since " + found.since() + ": " + found.text());
        }
        long pages = memory.map(Remembered::content).map(Content::pages).orElse(0L);
        if (file.bytes() == 0 && pages > 0) {
            return new Objection(Verdict.EMPTIED, "is an empty file, and had " + pages + " pages");
        }
        return marker == null
                ? null
                : new Objection(
                        Verdict.DAMAGED,
                        "was found damaged at " + (marker.time() == null ? "an unknown time" : marker.time()) + ": "
                                + marker.text());
    }
}
