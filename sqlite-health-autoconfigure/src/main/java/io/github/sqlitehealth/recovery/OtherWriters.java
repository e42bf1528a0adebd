package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.witness.ForeignHolders;
import io.github.sqlitehealth.witness.Stale;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Signs that somebody else has used the database since this process was stranded. What was seen once stays true: whoever
 * has written may have gone. Never opens a file. Thread-safe.
 */
public final class OtherWriters {

    private final Path main;
    private final Path wal;
    private final Path shm;

    private boolean mainLost;
    private @Nullable FileFacts still;
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
        if (written == null) {
            written = sign(stale);
        }
        FileFacts now = FileFacts.of(main);
        if (!frozen || mainLost || now == null) {
            return;
        }
        if (still == null) {
            still = now;
        } else if (moved == null
                && (still.size() != now.size() || !still.modified().equals(now.modified()))) {
            moved = "the main file was changed at " + now.modified() + ", and not by this process";
        }
    }

    private @Nullable String sign(List<Stale> stale) throws IOException {
        if (stale.stream().anyMatch(Stale::shrunk)) {
            return "another process has begun -shm anew";
        }
        if (lost(stale, DatabaseFile.WAL)) {
            FileFacts theirs = FileFacts.of(wal);
            return theirs == null || theirs.size() == 0
                    ? null
                    : "another process has written: a new -wal of " + theirs.size() + " bytes is at the path";
        }
        // Where -wal is still ours, whoever opens the database makes a new -shm for it.
        boolean opened = lost(stale, DatabaseFile.SHM) && FileFacts.of(shm) != null;
        return opened ? "another process has opened the database: a new -shm is at the path" : null;
    }

    private static boolean lost(List<Stale> stale, DatabaseFile file) {
        return stale.stream().anyMatch(each -> each.file() == file);
    }

    /** Who else holds files of the database at this moment, as far as the system tells. */
    public synchronized void holders(List<Holder> seen) {
        holders = ForeignHolders.describe(seen);
    }

    /** All of it. */
    public synchronized AtStop.Facts facts(boolean anchorOpen, boolean poolOpen) {
        return new AtStop.Facts(mainLost, written, holders, moved, anchorOpen, poolOpen);
    }
}
