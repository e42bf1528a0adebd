package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what was there and tells when it is gone. Zero is an answer, not an all-clear: an empty database is sound as
 * far as any check of pages can see.
 */
public final class ContentWitness {

    private static final String RULE = "what must be there is not: ";

    private final Path file;
    private final ContentRules rules;
    private final Timepiece time;
    private final Opening opening;
    private volatile @Nullable Content remembered;
    private volatile @Nullable Content present;

    /** Whether what is remembered was seen by an earlier process. */
    private boolean inherited;

    /** What is missing until it is back or that is accepted: whoever refills the database gives nothing back. */
    private volatile @Nullable String missing;

    /**
     * @param remembered what an earlier process saw, absent when there was none
     */
    public ContentWitness(Path file, ContentRules rules, Optional<Content> remembered, Timepiece time) {
        this(file, rules, remembered, time, FreshConnections::open);
    }

    private ContentWitness(
            Path file, ContentRules rules, Optional<Content> remembered, Timepiece time, Opening opening) {
        this.file = file;
        this.rules = rules;
        this.remembered = remembered.orElse(null);
        this.inherited = remembered.isPresent();
        this.time = time;
        this.opening = opening;
    }

    /** One that looks at a file that nobody uses, such as a backup, and leaves nothing beside it. */
    public static ContentWitness ofUnused(Path file, ContentRules rules, Optional<Content> remembered, Timepiece time) {
        return new ContentWitness(file, rules, remembered, time, FreshConnections::openUnused);
    }

    /** Looks at the content through a new connection and, where nothing is missing, remembers it. */
    public Testimony ask() {
        Moment start = time.now();
        Reading reading;
        try (Connection connection = opening.open(file)) {
            FileFacts facts = FileFacts.of(file);
            FileId id = facts == null ? null : facts.id();
            Content now = Content.of(connection, id == null ? 0 : id.inode(), rules);
            present = now;
            reading = broken(remembered, now);
            if (reading.ok()) {
                reading = gone(remembered, now);
            }
            if (reading.ok()) {
                remembered = now.withMet(remembered);
                inherited = false;
            }
        } catch (IOException ex) {
            reading = Reading.unasked(Reason.IO_ERROR, ex.toString());
        } catch (SQLException ex) {
            Reading failure = Reading.of(ex);
            // That the file is damaged is for the others to say.
            reading = failure.bad() ? Reading.unasked(Reason.CORRUPT, failure.text()) : failure;
        }
        Moment end = time.now();
        return new Testimony(
                Witness.CONTENT, Check.QUICK, reading.says(), reading.reason(), reading.text(), end, end.since(start));
    }

    /** An earlier process has found this missing, and nobody has accepted it. */
    public void stillMissing(String text) {
        if (!text.startsWith(RULE)) {
            missing = text;
        }
    }

    /** Whether something was missing at the last look. */
    public boolean misses() {
        return missing != null;
    }

    /** What should be there. */
    public Optional<Content> remembered() {
        return Optional.ofNullable(remembered);
    }

    /** What was there at the last look. */
    public Optional<Content> present() {
        return Optional.ofNullable(present);
    }

    /** The present content is what should be there: its emptiness was meant. */
    public void accept() {
        remembered = present;
        inherited = false;
        missing = null;
    }

    /**
     * A rule of the application counts once it has been kept: a database that is just being filled breaks none. Where
     * nobody has looked before at a database that was there before the application and has data, it counts at once.
     */
    private Reading broken(@Nullable Content before, Content now) {
        List<String> due = new ArrayList<>();
        if (before != null) {
            due.addAll(before.met());
        } else if (!now.filled().isEmpty()) {
            due.addAll(rules.all());
        }
        due.retainAll(rules.all());
        due.removeAll(now.met());
        return due.isEmpty() ? Reading.OK : empty(RULE + String.join(", ", due));
    }

    private Reading gone(@Nullable Content before, Content now) {
        String known = missing;
        if (known != null && before != null && !now.isBack(before)) {
            return empty(known);
        }
        Reading reading = before == null ? Reading.OK : compare(before, now, inherited);
        missing = reading.ok() ? null : reading.text();
        return reading;
    }

    /**
     * Rows that the application deletes leave their pages behind, and a VACUUM that drops those raises the schema
     * version. A file that was emptied and got its tables anew has fewer pages or an older version; where it has neither,
     * because it is small or another file with a longer history was put in its place, the sequences of its AUTOINCREMENT
     * tables tell, which go on after the last row is deleted.
     *
     * @param betweenRuns whether nobody has looked since an earlier process did: an application may set its sequences
     *     back while it runs
     */
    static Reading compare(Content before, Content now, boolean betweenRuns) {
        if (before.pages() == 0) {
            return Reading.OK;
        }
        if (now.pages() == 0) {
            return empty("the database is empty; it had " + before.pages() + " pages");
        }
        if (!isAnotherLife(before, now, betweenRuns)) {
            return Reading.OK;
        }
        if (now.tables().isEmpty() && !before.tables().isEmpty()) {
            return empty(
                    before.tables().size() == 1
                            ? "the table " + before.tables().get(0) + " is gone"
                            : "all " + before.tables().size() + " tables are gone");
        }
        long gone = before.filled().stream()
                .filter(table -> !now.filled().contains(table))
                .count();
        // Half of them, since whoever creates the schema anew may also write a row or two, such as a migration's
        // record.
        if (gone > 0 && gone * 2 >= before.filled().size()) {
            String where = before.filled().size() == 1
                    ? "the table " + before.filled().get(0)
                    : gone + " of " + before.filled().size() + " tables";
            return empty("there are no rows any more in " + where + ", which filled " + before.pages() + " pages");
        }
        return Reading.OK;
    }

    /** Whether it is not the database that it was, but one that began anew. */
    private static boolean isAnotherLife(Content before, Content now, boolean betweenRuns) {
        boolean older = now.schemaVersion() < before.schemaVersion();
        boolean unchanged = now.schemaVersion() == before.schemaVersion();
        // Only a VACUUM, which raises the version, and the automatic one give pages back.
        boolean shrunk = now.pages() < before.pages() && !now.autoVacuum();
        boolean restarted = betweenRuns && now.pages() <= before.pages() && now.restarted(before);
        return now.inode() != before.inode() || older || (unchanged && shrunk) || (restarted && (unchanged || shrunk));
    }

    private static Reading empty(String text) {
        return new Reading(Answer.BAD, Reason.EMPTY, text);
    }
}
