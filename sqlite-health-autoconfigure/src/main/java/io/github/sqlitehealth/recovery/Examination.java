package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.Content;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.ContentWitness;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what a database is like before this process uses it: for the gate at the start, for a restore, and for
 * whoever asks by command. Changes nothing.
 *
 * @param alone whether nobody has it open: then nothing is created beside it
 * @param rules what must be there
 * @param memory what an earlier process knew
 */
record Examination(Path main, boolean alone, ContentRules rules, Optional<Remembered> memory, Timepiece time) {

    private static final Logger log = LoggerFactory.getLogger(Examination.class);

    /** @param limit how long the check may take */
    PresentDatabase ask(Check check, Duration limit) {
        if (!exists()) {
            return missing();
        }
        if (Files.isDirectory(main)) {
            return new PresentDatabase(
                    State.UNKNOWN, PresentDatabase.DIRECTORY, Verdict.UNREADABLE, PresentDatabase.DIRECTORY, false);
        }
        PresentDatabase present = judge(pages(check, limit));
        try (Connection connection = unused() ? FreshConnections.openUnused(main) : FreshConnections.open(main)) {
            return present.saying(
                    CopyInspector.number(connection, "PRAGMA application_id"),
                    CopyInspector.number(connection, "PRAGMA user_version"));
        } catch (SQLException ex) {
            log.debug("What {} says of itself cannot be read", main, ex);
            return present;
        }
    }

    /** What is in -wal can only be read the usual way. */
    private boolean unused() {
        return alone && DatabaseFiles.wholeByItself(main);
    }

    private boolean exists() {
        try {
            return FileFacts.of(main) != null;
        } catch (IOException ex) {
            // That it cannot be told is for the check to say.
            return true;
        }
    }

    private PresentDatabase missing() {
        long pages = memory.map(Remembered::content).map(Content::pages).orElse(0L);
        return new PresentDatabase(
                State.MISSING,
                "is missing",
                pages > 0 ? Verdict.MISSING : null,
                "there is no file; it had " + pages + " pages when last seen",
                false);
    }

    /** What speaks against it counts when a second connection says so, too. */
    private Testimony pages(Check check, Duration limit) {
        FreshWitness fresh = unused() ? FreshWitness.ofUnused(main, time) : new FreshWitness(main, time);
        Testimony first = fresh.ask(check, limit, limit).testimony();
        return first.bad() || first.because(Reason.IO_ERROR)
                ? fresh.ask(check, limit, limit).testimony()
                : first;
    }

    private PresentDatabase judge(Testimony said) {
        if (said.bad()) {
            return new PresentDatabase(
                    State.DAMAGED, "is damaged: " + said.text(), Verdict.DAMAGED, said.text(), false);
        }
        String unasked = "could not be checked (" + said.reason() + "): " + said.text();
        if (said.because(Reason.IO_ERROR)) {
            return new PresentDatabase(State.UNKNOWN, unasked, Verdict.UNREADABLE, said.text(), false);
        }
        ContentWitness witness = witness();
        Testimony content = witness.ask();
        if (said.because(Reason.EMPTY) || content.bad()) {
            String condition = said.because(Reason.EMPTY) ? "is an empty file" : "is emptied: " + content.text();
            Verdict verdict = content.bad() ? Verdict.EMPTIED : null;
            return new PresentDatabase(State.EMPTIED, condition, verdict, content.text(), said.ok());
        }
        if (!said.ok() && !said.because(Reason.APPLICATION_ONLY)) {
            return new PresentDatabase(State.UNKNOWN, unasked, null, said.text(), false);
        }
        String bare = witness.present().map(this::bare).orElse(null);
        return bare == null
                ? new PresentDatabase(State.HEALTHY, "is sound", null, said.text(), said.ok())
                : new PresentDatabase(State.EMPTIED, "is emptied: " + bare, null, bare, said.ok());
    }

    private ContentWitness witness() {
        Optional<Content> before = memory.map(Remembered::content);
        ContentWitness witness = unused()
                ? ContentWitness.ofUnused(main, rules, before, time)
                : new ContentWitness(main, rules, before, time);
        memory.flatMap(known -> known.finding(Verdict.EMPTIED))
                .ifPresent(finding -> witness.stillMissing(finding.text()));
        return witness;
    }

    /** What nobody misses, since nobody has seen it: no harm at a first start, but nothing to keep either. */
    private @Nullable String bare(Content now) {
        if (now.tables().isEmpty() && now.pages() <= 1) {
            return "there are no tables";
        }
        List<String> broken = rules.brokenBy(now);
        // Where there are rows, a rule that was never kept is one of a database that is being filled.
        return now.filled().isEmpty() && !broken.isEmpty()
                ? "there are no rows, and " + String.join(", ", broken) + " must be there"
                : null;
    }
}
