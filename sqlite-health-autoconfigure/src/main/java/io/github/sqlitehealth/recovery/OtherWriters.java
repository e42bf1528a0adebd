package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.PosixLock;
import io.github.sqlitehealth.witness.ForeignHolders;
import io.github.sqlitehealth.witness.Stale;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Signs that somebody else has used the database since this process was stranded. What was seen once stays true: whoever
 * has written may have gone. Never opens a file. Thread-safe.
 */
public final class OtherWriters {

    private final Path main;
    private final Path wal;
    private final Path shm;

    /** Whoever merges and then unlinks -wal waits no longer than for the disk in between. */
    private static final Duration RIGHT_BEFORE = Duration.ofSeconds(1);

    /** A -wal that is no larger has no commit in it. */
    private static final long WAL_HEADER = 32;

    private boolean looked;
    private boolean mainLost;
    private boolean mainLocked;
    private boolean newWal;
    private @Nullable String shared;
    private @Nullable String staleHolders;
    private @Nullable FileFacts still;
    private @Nullable String merged;
    private @Nullable String written;
    private @Nullable String moved;
    private @Nullable String holders;

    public OtherWriters(Path main) {
        this.main = main;
        this.wal = DatabaseFile.WAL.beside(main);
        this.shm = DatabaseFile.SHM.beside(main);
    }

    /**
     * Looks at the paths.
     *
     * @param stale what this process holds and is not at the paths
     * @param frozen whether no connection of this process moves the main file any more
     */
    public synchronized void look(List<Stale> stale, boolean frozen) throws IOException {
        mainLost = lost(stale, DatabaseFile.MAIN);
        shared = stale.stream()
                .map(Stale::danger)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (!looked) {
            looked = true;
            merged = mergedBefore(stale);
        }
        String now = sign(stale);
        written = now == null ? written : now;
        FileFacts there = FileFacts.of(main);
        if (!frozen || mainLost || there == null) {
            return;
        }
        if (still == null) {
            still = there;
        } else if (moved == null
                && (still.size() != there.size() || !still.modified().equals(there.modified()))) {
            moved = "the main file was changed at " + there.modified() + ", and not by this process";
        }
    }

    /**
     * A SQLite that sees no locks believes to be alone: at its end it writes its rows, with ours, into the main file and
     * unlinks -wal, and -wal only, since without locks it has no -shm. Whoever just removes files leaves main alone.
     */
    private @Nullable String mergedBefore(List<Stale> stale) throws IOException {
        FileFacts file = FileFacts.of(main);
        FileFacts directory = FileFacts.of(main.resolveSibling("."));
        boolean onlyWal = lost(stale, DatabaseFile.WAL) && !lost(stale, DatabaseFile.SHM) && FileFacts.of(shm) != null;
        if (file == null || directory == null || mainLost || !onlyWal) {
            return null;
        }
        Duration before = Duration.between(file.modified(), directory.modified());
        return before.isNegative() || before.compareTo(RIGHT_BEFORE) > 0
                ? null
                : "the main file was changed right before -wal went, as by a process that sees no locks: rows of its own may"
                        + " be in it";
    }

    private @Nullable String sign(List<Stale> stale) throws IOException {
        if (stale.stream().anyMatch(Stale::shrunk)) {
            return "another process has begun -shm anew";
        }
        if (lost(stale, DatabaseFile.WAL)) {
            return newWal();
        }
        // Where -wal is still ours, whoever opens the database makes a new -shm for it.
        boolean opened = lost(stale, DatabaseFile.SHM) && FileFacts.of(shm) != null;
        return opened
                ? "another process has opened the database: a new -shm is at the path, and both write into one -wal: each may"
                        + " overwrite rows of the other"
                : null;
    }

    private @Nullable String newWal() throws IOException {
        FileFacts theirs = FileFacts.of(wal);
        boolean there = theirs != null && theirs.size() > 0;
        newWal |= there;
        if (!newWal) {
            return null;
        }
        if (theirs == null || !there) {
            return "another process has written: what was in its new -wal has been merged or removed since";
        }
        return theirs.size() <= WAL_HEADER
                ? "another process has begun to write: a new -wal is at the path, with no rows in it yet"
                : "another process has written: a new -wal with rows in it is at the path";
    }

    private static boolean lost(List<Stale> stale, DatabaseFile file) {
        return stale.stream().anyMatch(each -> each.file() == file);
    }

    /** Who else holds files of the database at this moment, as far as the system tells. */
    public synchronized void holders(List<Holder> seen) {
        holders = ForeignHolders.describe(seen);
        String lost = ForeignHolders.stale(seen);
        // Its checkpoints cannot be ended from here; killed, it does none.
        staleHolders = lost == null ? null : lost + ": end it with kill -9 before it does";
        mainLocked = seen.stream()
                .flatMap(holder -> holder.descriptors().stream())
                .filter(file -> !file.stale() && file.file().equals(DatabaseFile.MAIN.key()))
                .flatMap(file -> file.locks().stream())
                .anyMatch(PosixLock::keepsOthersFromBeingAlone);
    }

    /** All of it. */
    public synchronized AtStop.Facts facts(boolean anchorOpen, boolean poolOpen) {
        String used = Stream.of(merged, written, holders, moved)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        String danger = Stream.of(shared, staleHolders).filter(Objects::nonNull).collect(Collectors.joining("; "));
        return new AtStop.Facts(mainLost, used, mainLocked, danger.isEmpty() ? null : danger, anchorOpen, poolOpen);
    }
}
