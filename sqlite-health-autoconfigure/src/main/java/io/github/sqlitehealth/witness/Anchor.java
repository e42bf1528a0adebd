package io.github.sqlitehealth.witness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read-only connection of our own that stays open beside the application's, in WAL mode only. It has read, so it holds
 * the sidecars and their locks: while it is open, a sidecar that changes cannot have been changed innocently. It closes
 * before the pool, since a read-only connection that closes last would leave -wal and -shm behind, unmerged.
 */
public final class Anchor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Anchor.class);

    private final Path file;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean enabled;
    private @Nullable Connection connection;

    /** Grows with every opening, and is negative while closed: equal values mean that it was open in between. */
    private volatile long generation = -1;

    private long openings;

    private volatile boolean untouchable;

    public Anchor(Path file, boolean enabled) {
        this.file = file;
        this.enabled = enabled;
    }

    /**
     * Which world it sees.
     *
     * @param generation of the connection that was asked
     * @param version changes with every commit of another connection
     */
    public record Seen(long generation, long version) {}

    /** Something that is done with the connection. */
    @FunctionalInterface
    public interface Use {

        /** Leaves no transaction open. */
        void with(Connection connection) throws SQLException;
    }

    /**
     * Does something with the connection for as long as it takes; nobody else uses or closes it meanwhile. Whoever must
     * not wait for that looks at the generation only.
     *
     * @return what it saw when this began, absent when it is closed or untouchable: then nothing has been done
     */
    public @Nullable Seen use(Use use) throws SQLException {
        lock.lock();
        try {
            Connection open = untouchable ? null : connection;
            if (open == null) {
                return null;
            }
            Seen seen = seen(open);
            use.with(open);
            return seen;
        } finally {
            lock.unlock();
        }
    }

    /** The commits that have landed so far; absent while it is closed or busy. A thread of the application may ask. */
    public @Nullable Seen seen() {
        if (!lock.tryLock()) {
            return null;
        }
        try {
            Connection open = untouchable ? null : connection;
            return open == null ? null : seen(open);
        } catch (SQLException ex) {
            log.debug("The anchor on {} cannot tell which commits have landed", file, ex);
            return null;
        } finally {
            lock.unlock();
        }
    }

    private Seen seen(Connection open) throws SQLException {
        return new Seen(generation, HandleFacts.number(open, HandleFacts.MAIN, "data_version"));
    }

    /** Opens it where there is a WAL; does nothing when it is open. Asks SQL, so the watch must not call it. */
    public void open() {
        lock.lock();
        try {
            openLocked();
        } finally {
            lock.unlock();
        }
    }

    private void openLocked() {
        if (!enabled || connection != null) {
            return;
        }
        try {
            Connection opened = FreshConnections.open(file);
            try {
                // The question for the schema makes it read, and only a connection that has read holds locks.
                boolean wal = HandleFacts.of(opened).journalMode().equalsIgnoreCase("wal");
                if (wal) {
                    connection = opened;
                    generation = ++openings;
                    return;
                }
            } catch (SQLException ex) {
                log.debug("The anchor could not read {}", file, ex);
            }
            opened.close();
        } catch (SQLException ex) {
            log.debug("The anchor could not be opened on {}", file, ex);
        }
    }

    /**
     * Nothing is asked of it any more until it is closed: what it has mapped of -shm is not there any more, and whoever
     * reads there is killed, with the whole process.
     */
    public void leaveUntouched() {
        untouchable = true;
    }

    /** Closes it for good. */
    public void retire() {
        lock.lock();
        try {
            enabled = false;
            close();
        } finally {
            lock.unlock();
        }
    }

    /** A number that changes whenever the anchor is closed or opened; negative while it is closed. */
    public long generation() {
        return generation;
    }

    public boolean isOpen() {
        return generation >= 0;
    }

    /** Whether it is closed and is to be open where there is a WAL. */
    public boolean isMissing() {
        return enabled && !isOpen();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            Connection open = connection;
            connection = null;
            generation = -1;
            untouchable = false;
            if (open != null) {
                open.close();
            }
        } catch (SQLException ex) {
            log.debug("The anchor on {} did not close", file, ex);
        } finally {
            lock.unlock();
        }
    }
}
