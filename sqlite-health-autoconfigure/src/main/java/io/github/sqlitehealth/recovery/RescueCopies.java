package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.Timepiece;
import io.github.sqlitehealth.witness.WholeCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rescue copies through the anchor, which sees the files that have lost their names. Only copies that this process
 * has taken in this incident are ever replaced by newer ones: those of an earlier incident may be the last place of the
 * rows in them. One thread takes them; any thread may ask.
 */
public final class RescueCopies {

    private static final Logger log = LoggerFactory.getLogger(RescueCopies.class);

    private static final int MOST_VERIFIED = 2;
    private static final AtomicLong NUMBER = new AtomicLong();

    private final ForensicsDirectory directory;
    private final Anchor anchor;
    private final Volumes volumes;
    private final long maxSize;
    private final Timepiece time;

    private final Deque<RescueCopy> verified = new ArrayDeque<>();
    private @Nullable RescueCopy unverified;
    private volatile @Nullable RescueCopy last;

    /** @param maxSize of a database that is copied, in bytes */
    public RescueCopies(ForensicsDirectory directory, Anchor anchor, Volumes volumes, long maxSize, Timepiece time) {
        this.directory = directory;
        this.anchor = anchor;
        this.volumes = volumes;
        this.maxSize = maxSize;
        this.time = time;
    }

    /** The newest one, which is a verified one if there is any. */
    public @Nullable RescueCopy last() {
        return last;
    }

    /** Whether the newest copy is verified and holds everything that has been committed until now. May wait. */
    public boolean coverAll() {
        try {
            return isSeen(anchor.use(connection -> {}));
        } catch (SQLException ex) {
            log.debug("The anchor cannot tell whether there is something new", ex);
            return false;
        }
    }

    /** The same without waiting: not while the anchor is in use. */
    public boolean coverAllSurely() {
        return isSeen(anchor.seen());
    }

    private boolean isSeen(Anchor.@Nullable Seen now) {
        RescueCopy newest = last;
        return newest != null && newest.verified() && newest.seen().equals(now);
    }

    /**
     * Takes one copy and checks it.
     *
     * @param limit how long the copying may take, and once more the check
     * @throws CopyRefusedException when there is no copy that can be relied on; the message says why
     */
    public RescueCopy take(Duration limit) throws CopyRefusedException {
        Path temporary = null;
        Instant began = time.clock().instant();
        try {
            checkRoom();
            temporary = directory.createEmpty(temporaryName(began));
            Anchor.Seen seen = fill(temporary, limit);
            DurableFiles.force(temporary);
            return keep(temporary, began, seen, limit);
        } catch (SQLException ex) {
            throw new CopyRefusedException("no rescue copy could be taken: " + ex.getMessage());
        } catch (IOException ex) {
            throw new CopyRefusedException(hasPlace() ? "no rescue copy could be written: " + ex : noPlace());
        } finally {
            remove(temporary);
        }
    }

    /** Whether the directory is there, or the one in which it would be. */
    public boolean hasPlace() {
        Path parent = directory.path().toAbsolutePath().getParent();
        return Files.isDirectory(directory.path()) || parent == null || Files.isDirectory(parent);
    }

    private String noPlace() {
        return "no rescue copy: there is no directory " + directory.path().getParent()
                + " any more (renamed, or its volume is missing), and the library creates no other in its place. Put it"
                + " back, and it will be tried again at once; or copy the database out of this process before it ends"
                + " (command rescue --pid). For another time, set sqlite.health.snapshots.directory to another place";
    }

    private void checkRoom() throws SQLException, IOException, CopyRefusedException {
        long[] size = new long[1];
        use(connection -> size[0] = CopyInspector.number(connection, "PRAGMA page_count")
                * CopyInspector.number(connection, "PRAGMA page_size"));
        if (size[0] > maxSize) {
            throw new CopyRefusedException("no rescue copy: the database has " + size(size[0], maxSize)
                    + ", more than sqlite.health.stranded.rescue-max-size allows (" + size(maxSize, size[0])
                    + "); copy the files by hand before the process ends");
        }
        long needed = size[0] + size[0] / 10;
        long free = volumes.of(directory.path()).freeBytes();
        if (free < needed) {
            throw new CopyRefusedException("no rescue copy: it needs " + size(needed, free) + " in " + directory.path()
                    + ", where " + size(free, needed) + " are free; make room, it will be tried again");
        }
    }

    private Anchor.Seen fill(Path file, Duration limit) throws SQLException, CopyRefusedException {
        return use(connection -> {
            try {
                WholeCopy.vacuumInto(connection, file, limit);
            } catch (SQLException ex) {
                if (!WholeCopy.lacksSomething(ex)) {
                    throw ex;
                }
                log.debug("Copying page by page instead", ex);
                WholeCopy.pages(connection, file);
            }
        });
    }

    private Anchor.Seen use(Anchor.Use use) throws SQLException, CopyRefusedException {
        Anchor.Seen seen = anchor.use(use);
        if (seen == null) {
            throw new CopyRefusedException("no rescue copy: no connection of the monitor was open when the files were"
                    + " lost (no WAL, sqlite.health.anchor.enabled=false, or lost before the first look), so only the"
                    + " application reaches its rows; copy the files by hand before the process ends");
        }
        return seen;
    }

    /** What does not pass is kept, too, under a name that says so: it may be all there is. */
    private RescueCopy keep(Path temporary, Instant began, Anchor.Seen seen, Duration limit)
            throws IOException, CopyRefusedException {
        String stamp = ForensicsDirectory.stamp(began);
        try {
            CopyFacts facts = new CopyInspector(time).inspect(temporary, limit);
            Path file = temporary.resolveSibling("rescue-" + stamp + ".db");
            DurableFiles.rename(temporary, file);
            RescueCopy copy = new RescueCopy(file, began, seen, true, facts.check());
            verified.addLast(copy);
            last = copy;
            remove(unverified == null ? null : unverified.file());
            unverified = null;
            while (verified.size() > MOST_VERIFIED) {
                remove(verified.removeFirst().file());
            }
            return copy;
        } catch (CopyRefusedException ex) {
            Path file = temporary.resolveSibling("rescue-" + stamp + "-unverified.db");
            DurableFiles.rename(temporary, file);
            RescueCopy before = unverified;
            unverified = new RescueCopy(file, began, seen, false, String.valueOf(ex.getMessage()));
            remove(before == null ? null : before.file());
            last = verified.isEmpty() ? unverified : last;
            throw new CopyRefusedException("the rescue copy " + file + " is kept but not verified: "
                    + String.valueOf(ex.getMessage()).replace(temporary.toString(), "it"));
        }
    }

    private static String temporaryName(Instant now) {
        return "rescue-" + ForensicsDirectory.stamp(now) + "-"
                + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet() + ForensicsDirectory.TEMPORARY;
    }

    private static void remove(@Nullable Path file) {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-journal"));
            } catch (IOException ex) {
                log.debug("{} cannot be removed", file, ex);
            }
        }
    }

    /** To the byte where two that differ would read the same. */
    private static String size(long bytes, long other) {
        String rounded = megabytes(bytes);
        return rounded.equals(megabytes(other)) ? bytes + " bytes" : rounded;
    }

    private static String megabytes(long bytes) {
        return (bytes + (1 << 20) - 1 >> 20) + " MB";
    }
}
