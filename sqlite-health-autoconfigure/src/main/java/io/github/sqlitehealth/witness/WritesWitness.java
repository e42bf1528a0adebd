package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.witness.StatementErrors.Outstanding;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Do the application's own writes land? Storage errors of its statements are held against commits: SQLite's
 * {@code data_version} changes on an idle connection when any other one commits. Only the check thread asks.
 */
public final class WritesWitness implements AutoCloseable {

    /** So many errors without a commit, or errors for so long, and they are no accident. */
    private static final long MANY = 10;

    private static final Duration LONG = Duration.ofSeconds(8);

    private static final Logger log = LoggerFactory.getLogger(WritesWitness.class);

    private final Path file;
    private final Timepiece time;
    private final Anchor anchor;
    private final List<StatementErrors> sources = new CopyOnWriteArrayList<>();

    /** What the anchor saw when the first error came: a commit that lands an instant later must not be missed. */
    private final AtomicReference<Anchor.@Nullable Seen> atFirst = new AtomicReference<>();

    private final StatementErrors.Listener first = pages -> {
        if (atFirst.get() == null) {
            atFirst.compareAndSet(null, anchorSees());
        }
    };

    /** Open only while errors are outstanding, since it must be the same connection that looks twice. */
    private @Nullable Connection observer;

    private long version;

    public WritesWitness(Path file, Anchor anchor, Timepiece time) {
        this.file = file;
        this.anchor = anchor;
        this.time = time;
    }

    /** Errors of one more pool count. */
    public void add(StatementErrors errors) {
        sources.add(errors);
        errors.listen(first);
    }

    /** Errors of one pool do not count any more. */
    public void remove(StatementErrors errors) {
        sources.remove(errors);
        errors.unlisten(first);
    }

    /** Errors of the pools do not count any more. */
    public void retire() {
        sources.forEach(source -> source.unlisten(first));
        close();
    }

    /** Where errors come from. */
    public List<StatementErrors> sources() {
        return Collections.unmodifiableList(sources);
    }

    /** Whether there are errors that no commit has followed. */
    public boolean waiting() {
        return sources.stream().anyMatch(source -> source.outstanding() != null);
    }

    /** Looks whether a commit has landed since the errors that were seen. */
    public Testimony ask() {
        Moment start = time.now();
        if (sources.isEmpty()) {
            return say(
                    Answer.UNASKED,
                    Reason.NOT_SUPPORTED,
                    "errors of statements are seen only in a HikariCP pool that the application context creates",
                    start);
        }
        Outstanding worst = sources.stream()
                .map(StatementErrors::outstanding)
                .filter(Objects::nonNull)
                .max(Comparator.comparing(Outstanding::count))
                .orElse(null);
        if (worst == null) {
            close();
            return say(Answer.OK, Reason.NONE, "no statement fails for want of storage", start);
        }
        if (landed()) {
            sources.forEach(StatementErrors::landed);
            atFirst.set(null);
            close();
            return say(Answer.OK, Reason.NONE, "a commit has landed since", start);
        }
        boolean serious = worst.count() >= MANY || start.since(worst.first()).compareTo(LONG) >= 0;
        String text = worst.name() + ", " + atLeast(worst.count()) + ", and no commit has landed since; "
                + advice(worst.code() & 0xff);
        return serious
                ? say(Answer.BAD, Reason.STORAGE, text, start)
                : say(Answer.UNASKED, Reason.NOT_YET, text + "; this may pass", start);
    }

    /** In wide steps: a text that changes is an alarm, and a storm of failed writes should not make many. */
    private static String atLeast(long count) {
        long power = count < MANY ? 1 : MANY;
        while (power >= MANY && power * 100 <= count) {
            power *= 100;
        }
        return power == 1 ? "once or more" : "at least " + power + " times";
    }

    private static String advice(int primaryCode) {
        return switch (primaryCode) {
            case 13 -> "free space on the volume, or raise max_page_count";
            case 8 -> "make file, directory and mount writable for this process";
            case 10 -> "check the disk, its mount and the kernel's log";
            case 14 -> "check the permissions of the directory and the limit of open files";
            default -> "see what the checks of the pages say";
        };
    }

    private Anchor.@Nullable Seen anchorSees() {
        return anchor.seen();
    }

    private boolean landed() {
        Anchor.Seen then = atFirst.get();
        Anchor.Seen now = then == null ? null : anchor.seen();
        if (then != null && now != null && then.generation() == now.generation()) {
            return then.version() != now.version();
        }
        try {
            Connection open = observer;
            if (open == null) {
                observer = FreshConnections.open(file);
                version = HandleFacts.number(observer, HandleFacts.MAIN, "data_version");
                return false;
            }
            return HandleFacts.number(open, HandleFacts.MAIN, "data_version") != version;
        } catch (SQLException ex) {
            log.debug("Whether a commit has landed in {} cannot be seen", file, ex);
            return false;
        }
    }

    private Testimony say(Answer says, Reason reason, String text, Moment start) {
        Moment end = time.now();
        return new Testimony(Witness.WRITES, Check.WRITES, says, reason, text, end, end.since(start));
    }

    @Override
    public void close() {
        Connection open = observer;
        observer = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException ex) {
                log.debug("The observer of commits on {} did not close", file, ex);
            }
        }
    }
}
