package io.github.sqlitehealth.forensics;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.witness.Content;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the next process has to know about a database.
 *
 * @param file the database, so that the memory of another one is not taken for this one's
 * @param incident the open one, absent when none is
 * @param findings what holds
 * @param incidents the newest ones that have ended, oldest first
 * @param content what should be there, absent when nobody has looked
 * @param transients how many failed reads have passed when done again
 * @param fullCheckDue when all pages are to be read again, absent when nobody has said
 */
public record Remembered(
        String file,
        @Nullable Incident incident,
        List<RememberedFinding> findings,
        List<Incident> incidents,
        @Nullable Content content,
        long transients,
        @Nullable Instant fullCheckDue) {

    public Remembered {
        findings = List.copyOf(findings);
        incidents = List.copyOf(incidents);
    }

    /** Verdicts that are true of the files, not of a process that has ended since. */
    private static final Set<Verdict> OF_THE_FILES =
            EnumSet.of(Verdict.STRANDED, Verdict.MISSING, Verdict.DAMAGED, Verdict.UNREADABLE, Verdict.EMPTIED);

    /** The same of the same database at another path. */
    Remembered at(String path) {
        return path.equals(file)
                ? this
                : new Remembered(path, incident, findings, incidents, content, transients, fullCheckDue);
    }

    /** What holds of the files. */
    public List<RememberedFinding> findingsOfTheFiles() {
        return findings.stream()
                .filter(found -> OF_THE_FILES.contains(found.verdict()))
                .toList();
    }

    /** What there is to know of a database of which nobody has known anything. */
    public static Remembered nothing(String file) {
        return new Remembered(file, null, List.of(), List.of(), null, 0, null);
    }

    /**
     * What is left of it when another file has been put in the place of the one that it is about.
     *
     * @param holds what is in that file, absent when nobody knows
     */
    public Remembered ofAnotherFile(@Nullable Content holds, Instant now) {
        List<RememberedFinding> left = new ArrayList<>(findings);
        left.removeAll(findingsOfTheFiles());
        Incident open = incident;
        List<Incident> ended = new ArrayList<>(incidents);
        // One that never came to a verdict was a false start.
        if (open != null && left.isEmpty() && !open.verdicts().isEmpty()) {
            ended.add(new Incident(open.id(), open.since(), now, open.verdicts()));
        }
        return new Remembered(file, left.isEmpty() ? null : open, left, ended, holds, transients, null);
    }

    /** The finding of a verdict that holds. */
    public Optional<RememberedFinding> finding(Verdict verdict) {
        return findings.stream().filter(found -> found.verdict() == verdict).findFirst();
    }

    /**
     * From the first testimony that is not OK to the release of the latch.
     *
     * @param id names it within its database
     * @param since when it began
     * @param until when it ended, absent while it is open
     * @param verdicts all that were given, in the order in which they came
     */
    public record Incident(
            String id, Instant since, @Nullable Instant until, List<String> verdicts) {

        public Incident {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(since, "since");
            verdicts = List.copyOf(verdicts);
        }
    }

    /**
     * A verdict that holds.
     *
     * @param since when it was first given
     */
    public record RememberedFinding(Verdict verdict, Check source, boolean confirmed, String text, Instant since) {

        public RememberedFinding {
            Objects.requireNonNull(verdict, "verdict");
            Objects.requireNonNull(source, "source");
            Objects.requireNonNull(text, "text");
            Objects.requireNonNull(since, "since");
        }
    }
}
