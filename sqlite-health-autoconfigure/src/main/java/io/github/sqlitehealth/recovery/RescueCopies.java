package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.Timepiece;
import io.github.sqlitehealth.witness.WholeCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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

    private static final AtomicLong NUMBER = new AtomicLong();

    private final ForensicsDirectory directory;
    private final Anchor anchor;
    private final RescuePlace place;
    private final RescueShelf shelf;
    private final Timepiece time;

    /** @param maxSize of a database that is copied, in bytes */
    public RescueCopies(ForensicsDirectory directory, Anchor anchor, Volumes volumes, long maxSize, Timepiece time) {
        this.directory = directory;
        this.anchor = anchor;
        this.place = new RescuePlace(directory.path(), volumes, maxSize);
        this.shelf = new RescueShelf(time);
        this.time = time;
    }

    /** The newest one, which is a verified one if there is any. */
    public @Nullable RescueCopy last() {
        return shelf.last();
    }

    /**
     * Keeps the newest one for as long as the incident lasts, since newer ones may lack rows that it has. Does not wait.
     *
     * @return the copy; absent when nothing has changed by this
     */
    public @Nullable RescueCopy spareNewest() {
        return shelf.spareNewest();
    }

    /** What a newer copy lacks and an earlier one has; absent where none was seen to lack anything. */
    public @Nullable String lacking() {
        return shelf.lacking();
    }

    /** Whether there is a directory for them. */
    public boolean hasPlace() {
        return place.exists();
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
        RescueCopy newest = shelf.last();
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
            place.refuseUnlessFit(size());
            temporary = directory.createEmpty(temporaryName(began));
            Anchor.Seen seen = fill(temporary, limit);
            DurableFiles.force(temporary);
            return shelf.keep(temporary, began, seen, limit);
        } catch (SQLException ex) {
            throw new CopyRefusedException("no rescue copy could be taken: " + ex.getMessage());
        } catch (IOException ex) {
            throw new CopyRefusedException(place.exists() ? "no rescue copy could be written: " + ex : place.missing());
        } finally {
            RescueShelf.remove(temporary);
        }
    }

    private long size() throws SQLException, CopyRefusedException {
        long[] size = new long[1];
        use(connection -> size[0] = CopyInspector.number(connection, "PRAGMA page_count")
                * CopyInspector.number(connection, "PRAGMA page_size"));
        return size[0];
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

    private static String temporaryName(Instant now) {
        return "rescue-" + ForensicsDirectory.stamp(now) + "-"
                + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet() + ForensicsDirectory.TEMPORARY;
    }
}
