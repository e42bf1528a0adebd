package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the files of one database again and again. No file comes, goes or is replaced without a change of its
 * directory, so where that has not changed only the -shm is asked, which may be cut short in place: with a thousand
 * databases this is what a look is made of. Not thread-safe.
 */
public final class DatabaseStats {

    /** The coarsest time of a directory is that of FAT: two changes within two seconds may have the same one. */
    private static final long SETTLED = Duration.ofSeconds(3).toNanos();

    /** All files are asked this often, for their sizes and for file systems that keep no time of a directory. */
    private static final long AT_LEAST = Duration.ofSeconds(10).toNanos();

    private final RepeatedStat main;
    private final RepeatedStat wal;
    private final RepeatedStat shm;
    private Map<DatabaseFile, FileFacts> last = Map.of();
    private long allAskedAt;

    /** The change of the directory that was seen last, and since when. */
    private @Nullable FileTime change;

    private long changeSeenAt;

    /** Whether all files were asked when any further change would have had to have another time. */
    private boolean settled;

    public DatabaseStats(Path main) {
        this.main = new RepeatedStat(main);
        this.wal = new RepeatedStat(DatabaseFile.WAL.beside(main));
        this.shm = new RepeatedStat(DatabaseFile.SHM.beside(main));
    }

    /**
     * What is at the paths now; a file that is not there has no entry. The same map as before when nothing has changed.
     *
     * @throws IOException when the system cannot tell
     */
    public Map<DatabaseFile, FileFacts> look() throws IOException {
        return askAll(System.nanoTime());
    }

    /**
     * What is at the paths now, as far as the directory says that anything can have changed.
     *
     * @param change of the directory, asked before; {@code null} when it could not be told
     * @throws IOException when the system cannot tell
     */
    public Map<DatabaseFile, FileFacts> look(@Nullable FileTime change) throws IOException {
        return look(change, System.nanoTime());
    }

    Map<DatabaseFile, FileFacts> look(@Nullable FileTime change, long now) throws IOException {
        if (change == null || !change.equals(this.change)) {
            this.change = change;
            this.changeSeenAt = now;
            this.settled = false;
        }
        if (settled && now - allAskedAt < AT_LEAST && isShmTheSame()) {
            return last;
        }
        Map<DatabaseFile, FileFacts> all = askAll(now);
        settled = change != null && now - changeSeenAt >= SETTLED;
        return all;
    }

    private boolean isShmTheSame() throws IOException {
        FileFacts before = last.get(DatabaseFile.SHM);
        return before == null || before.equals(shm.look());
    }

    private Map<DatabaseFile, FileFacts> askAll(long now) throws IOException {
        Map<DatabaseFile, FileFacts> all = new EnumMap<>(DatabaseFile.class);
        put(DatabaseFile.MAIN, main.look(), all);
        put(DatabaseFile.WAL, wal.look(), all);
        put(DatabaseFile.SHM, shm.look(), all);
        allAskedAt = now;
        if (!all.equals(last)) {
            last = Map.copyOf(all);
        }
        return last;
    }

    private static void put(DatabaseFile file, @Nullable FileFacts facts, Map<DatabaseFile, FileFacts> all) {
        if (facts != null) {
            all.put(file, facts);
        }
    }
}
