package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.IdentityWitness;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.LocksWitness;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Stale;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One look at the files of a database, and what follows from it. The watch looks all the time; a check looks before it
 * asks and before it believes the worst.
 */
final class IdentityCheck {

    private final String database;
    private final IdentityWitness witness;
    private final LocksWitness locks;
    private final Anchor anchor;
    private final List<LiveHandles> handles;
    private final Ledger ledger;
    private final Desk desk;
    private final MonitorListener listener;
    private final Stranded stranded;
    private final Timepiece time;

    /** Held for the time of a look, never while SQL is asked. */
    private final ReentrantLock turn = new ReentrantLock();

    IdentityCheck(
            String database,
            IdentityWitness witness,
            LocksWitness locks,
            Anchor anchor,
            List<LiveHandles> handles,
            Ledger ledger,
            Desk desk,
            MonitorListener listener,
            Stranded stranded,
            Timepiece time) {
        this.database = database;
        this.witness = witness;
        this.locks = locks;
        this.anchor = anchor;
        this.handles = handles;
        this.ledger = ledger;
        this.desk = desk;
        this.listener = listener;
        this.stranded = stranded;
        this.time = time;
    }

    /**
     * A file of it came or went. While the anchor is open that is no innocent change, so checkpoints end before the look
     * that gathers what comes with it: until it, and the second look, a busy application may well checkpoint once.
     */
    void hint(DatabaseFile file) {
        if (turn.tryLock()) {
            try {
                if (witness.isSwapped(file)) {
                    stranded.suspect();
                }
            } catch (IOException ex) {
                // The look will say so.
            } finally {
                turn.unlock();
            }
        }
    }

    /**
     * What is at the paths; absent when that cannot be told, which the look will say.
     *
     * @param change of the directory, asked before: the files are asked as far as it says that they can have changed;
     *     absent to have all asked
     */
    IdentityWitness.@Nullable Stats stat(@Nullable FileTime change) {
        turn.lock();
        try {
            return change == null ? witness.stat() : witness.stat(change);
        } catch (IOException ex) {
            return null;
        } finally {
            turn.unlock();
        }
    }

    /**
     * The end of a look at files that are as they were: only the time has passed, and of a thousand databases few need more.
     *
     * @return whether that was all
     */
    boolean isAsBefore(IdentityWitness.Stats stats) {
        turn.lock();
        try {
            if (!witness.isAsBefore(stats)) {
                return false;
            }
            Look look = witness.last();
            Testimony said = witness.say(look, time.now());
            Testimony locked = locks.ask(look);
            if (!ledger.lookedAgain(said, locked, look)) {
                return false;
            }
            stranded.concluded(look, false);
            heard(said, locked);
            return true;
        } finally {
            turn.unlock();
        }
    }

    /**
     * The first of two looks.
     *
     * @param stats what is at the paths, where that has been asked already
     */
    Glance glance(IdentityWitness.@Nullable Stats stats) {
        Moment start = time.now();
        turn.lock();
        try {
            Look look = stats == null ? witness.look() : witness.look(stats);
            boolean needsSecond = witness.needsSecondLook(look);
            if (needsSecond && !look.stale().isEmpty() && anchor.isOpen()) {
                stranded.suspect();
            }
            return new Glance(start, look, null, needsSecond);
        } catch (IOException ex) {
            return new Glance(start, null, ex, false);
        } finally {
            turn.unlock();
        }
    }

    /** The second look where it is needed, and what follows. */
    void conclude(Glance glance) {
        Change change;
        Look look;
        Moment now;
        boolean swapped;
        turn.lock();
        try {
            List<Stale> before = witness.last().stale();
            Testimony said = testimony(glance);
            look = witness.last();
            swapped = !look.stale().isEmpty() && !look.stale().equals(before);
            now = said.at();
            Testimony locked = locks.ask(look);
            change = ledger.looked(said, locked, look, witness.changes(), now);
            // Before the snapshot: it may take two seconds, and to checkpoint no more disturbs no evidence.
            stranded.concluded(look, change.after().latch().holds(Verdict.STRANDED));
            heard(said, locked);
        } finally {
            turn.unlock();
        }
        String reason = swapped ? "identity" : change.found().isEmpty() ? null : "verdict";
        desk.follow(change, look, now, reason);
        stranded.evidenceTaken();
    }

    private void heard(Testimony identity, Testimony locks) {
        listener.heard(database, identity);
        listener.heard(database, locks);
    }

    private Testimony testimony(Glance glance) {
        Look first = glance.look();
        if (first == null) {
            IOException failure = glance.failure();
            return witness.failed(failure == null ? new IOException("no look") : failure, glance.start());
        }
        try {
            if (!glance.needsSecond()) {
                return witness.say(letsGo(first) ? witness.look() : first, glance.start());
            }
            Look second = witness.look();
            return witness.say(first, letsGo(second) ? witness.look() : second, glance.start());
        } catch (IOException ex) {
            return witness.failed(ex, glance.start());
        }
    }

    /**
     * Closes the anchor when the application has let go of the file, and may have put another in its place, so that only we
     * still hold it; unless there are rows that nobody else holds.
     */
    private boolean letsGo(Look look) {
        if (look.stale().isEmpty()
                || !anchor.isOpen()
                || handles.stream().anyMatch(LiveHandles::mayBeOpen)
                || !stranded.mayLetGo(look)) {
            return false;
        }
        anchor.close();
        return true;
    }

    /** Both looks at once, for a check that wants to know before it goes on. */
    void lookNow() {
        Glance glance = glance(null);
        if (glance.needsSecond()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(IdentityWitness.APART_MILLIS));
        }
        conclude(glance);
    }

    boolean stranded() {
        return ledger.state().latch().holds(Verdict.STRANDED);
    }

    /** Whether there is no file that could be asked. */
    boolean nothingToAsk() {
        Testimony said = ledger.state().said().identity();
        return said != null && (said.because(Reason.NOT_YET) || said.because(Reason.NO_FILE));
    }

    Look last() {
        return witness.last();
    }

    /**
     * A first look.
     *
     * @param look absent when it could not be made
     * @param needsSecond whether it has to be confirmed
     */
    record Glance(
            Moment start, @Nullable Look look, @Nullable IOException failure, boolean needsSecond) {}
}
