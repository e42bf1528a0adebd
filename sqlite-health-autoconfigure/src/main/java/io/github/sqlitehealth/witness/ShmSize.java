package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notices a -shm that is cut short in place. Only a SQLite that believes to be the first to open the database does that,
 * so with the anchor open all the while it was one that could not see our locks. Without the anchor it tells nothing:
 * whoever opens a database after everybody has left does it too.
 */
final class ShmSize {

    /** Whoever has read has mapped this much of it: WALINDEX_PGSZ of SQLite's wal.c. */
    private static final long SMALLEST = 32_768;

    private long generation = -1;
    private @Nullable FileId id;
    private long largest;
    private boolean shrunk;

    Look watch(Look look, long generation) {
        FileFacts shm = look.files().get(DatabaseFile.SHM);
        FileId now = shm == null ? null : shm.id();
        boolean same = generation >= 0 && generation == this.generation && now != null && now.equals(id);
        if (!same) {
            shrunk = false;
            largest = generation >= 0 ? SMALLEST : 0;
        }
        this.generation = generation;
        this.id = now;
        if (shm == null || now == null) {
            return look;
        }
        shrunk |= shm.size() < largest;
        largest = Math.max(largest, shm.size());
        if (!shrunk) {
            return look;
        }
        List<Stale> stale = new ArrayList<>(look.stale());
        stale.add(new Stale(DatabaseFile.SHM, now, now, true));
        return new Look(look.files(), stale, look.held(), look.unseen());
    }
}
