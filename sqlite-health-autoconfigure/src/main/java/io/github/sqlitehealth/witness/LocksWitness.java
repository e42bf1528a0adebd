package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.OwnLocks;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Do we still hold the locks that SQLite believes it holds? POSIX locks belong to a process and a file: whoever in this
 * process opens the file and closes it again drops all of them, and SQLite never notices. The anchor has read, so for as
 * long as it is open the two locks below must be held. Used by one thread at a time; asks no SQL.
 */
public final class LocksWitness {

    /** The shared lock that a connection in WAL mode holds on main: SHARED_FIRST and SHARED_SIZE of SQLite's os.h. */
    private static final Range MAIN = new Range(DatabaseFile.MAIN, 1_073_741_826L, 1_073_742_335L);

    /** The lock that everybody who has mapped the -shm holds on it: UNIX_SHM_DMS of SQLite's os_unix.c. */
    private static final Range SHM = new Range(DatabaseFile.SHM, 128, 128);

    private final OwnDescriptors own;
    private final OwnLocks all;
    private final Anchor anchor;
    private final Timepiece time;

    /** Through which descriptor each lock was last seen. */
    private Map<DatabaseFile, Integer> seenAt = Map.of();

    /** The anchor under which both locks were seen; only then can they have vanished. */
    private long armed = -1;

    /** The anchor that was looked at last. The list of all locks may be older than it, so one look is left to pass. */
    private long asked = -1;

    private long askedAt = System.nanoTime();

    public LocksWitness(OwnDescriptors own, OwnLocks all, Anchor anchor, Timepiece time) {
        this.own = own;
        this.all = all;
        this.anchor = anchor;
        this.time = time;
    }

    private record Range(DatabaseFile file, long start, long end) {}

    /** Looks at the locks on the files that a look has found to be the right ones. */
    public Testimony ask(Look look) {
        Moment start = time.now();
        long generation = anchor.generation();
        if (look.suspicious()) {
            return unasked("the files that are held are not those at the paths", start);
        }
        if (generation < 0) {
            return unasked(
                    look.files().containsKey(DatabaseFile.WAL)
                            ? "no connection of the monitor is open that would have to hold them"
                            : "there is no WAL, and without one locks are held for the time of a transaction only",
                    start);
        }
        try {
            String lost =
                    generation != asked && !isListed(MAIN, look) ? MAIN.file().key() : lost(look);
            if (generation != asked) {
                asked = generation;
                askedAt = System.nanoTime();
            }
            if (lost == null) {
                armed = generation;
                return say(Answer.OK, Reason.NONE, "the locks are held", start);
            }
            // The anchor may have been closed in between, and its locks with it.
            if (armed == generation && anchor.generation() == generation) {
                return say(
                        Answer.BAD,
                        Reason.LOCKS_GONE,
                        "the lock on " + lost + " vanished while the connection stayed open: usually application code"
                                + " that copied, hashed or zipped the file, or a second SQLite library in this process",
                        start);
            }
            return unasked("the lock on " + lost + " has not been seen yet", start);
        } catch (IOException ex) {
            return unasked("this system does not show a process its locks", start);
        }
    }

    /** Where the first missing lock should be; null when both are held. */
    private @Nullable String lost(Look look) throws IOException {
        for (Range range : List.of(MAIN, SHM)) {
            if (!isListed(range, look) && !isStillHeld(range, look) && !isFound(range, look)) {
                return range.file().key();
            }
        }
        return null;
    }

    /** The list of all locks is cheap for those who look at many databases, but does not always show everything. */
    private boolean isListed(Range range, Look look) {
        FileFacts facts = look.files().get(range.file());
        FileId id = facts == null ? null : facts.id();
        return id != null && all.covers(id, range.start(), range.end(), askedAt);
    }

    /** Where the lock was seen the last time, so that not all descriptors have to be read every second. */
    private boolean isStillHeld(Range range, Look look) throws IOException {
        Integer fd = seenAt.get(range.file());
        Descriptor descriptor = fd == null ? null : own.at(fd);
        return descriptor != null && isHeld(range, look, descriptor);
    }

    private boolean isFound(Range range, Look look) throws IOException {
        for (Descriptor descriptor : own.held()) {
            if (isHeld(range, look, descriptor)) {
                seen(range.file(), descriptor.fd());
                return true;
            }
        }
        seen(range.file(), null);
        return false;
    }

    private void seen(DatabaseFile file, @Nullable Integer fd) {
        Map<DatabaseFile, Integer> seen = new HashMap<>(seenAt);
        if (fd == null) {
            seen.remove(file);
        } else {
            seen.put(file, fd);
        }
        seenAt = Map.copyOf(seen);
    }

    /** The system shows a lock at the descriptor through which it was taken, and at no other. */
    private boolean isHeld(Range range, Look look, Descriptor descriptor) throws IOException {
        FileFacts facts = look.files().get(range.file());
        return facts != null
                && descriptor.id().equals(facts.id())
                && own.locks(descriptor.fd()).stream()
                        .anyMatch(lock -> lock.start() <= range.start() && lock.end() >= range.end());
    }

    private Testimony unasked(String text, Moment start) {
        return say(Answer.UNASKED, Reason.NOT_SUPPORTED, text, start);
    }

    private Testimony say(Answer says, Reason reason, String text, Moment start) {
        Moment end = time.now();
        return new Testimony(Witness.LOCKS, Check.IDENTITY, says, reason, text, end, end.since(start));
    }
}
