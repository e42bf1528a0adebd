package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.witness.Content;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a database without asking it.
 *
 * @param database the main file
 * @param name under which its backups are kept
 * @param sound false when something speaks against it
 * @param verdict that speaks against it; absent when none does
 * @param text what speaks against it, in one line
 * @param files those that are there: {@code main}, {@code wal}, {@code shm}, {@code journal}
 * @param marker of confirmed damage, absent when there is none
 * @param incident the open one, absent when none is
 * @param findings the verdicts that held when its application last wrote them down
 * @param content what was in it then, absent when nobody has looked
 * @param backupDirectory where they are looked for
 * @param backups newest first
 * @param rescued copies of what stranded processes have written, newest first
 * @param archives originals that restores have moved aside, newest first
 * @param interruptedRestore whether a restore is to be finished, or is going on
 * @param holders processes that hold its files
 * @param unseen why there may be more of them; empty when all were seen
 * @param restore whether and from what it could be restored now, in one line
 */
public record DatabaseStatus(
        String database,
        String name,
        boolean sound,
        @Nullable Verdict verdict,
        String text,
        Map<String, FileStatus> files,
        @Nullable CorruptMarker marker,
        @Nullable Incident incident,
        List<RememberedFinding> findings,
        @Nullable Content content,
        String backupDirectory,
        List<BackupStatus> backups,
        List<String> rescued,
        List<ArchiveStatus> archives,
        boolean interruptedRestore,
        List<Holder> holders,
        String unseen,
        String restore) {

    /**
     * One file.
     *
     * @param bytes its size
     * @param inode 0 where the system does not tell
     */
    public record FileStatus(long bytes, Instant modified, long inode) {}

    /**
     * One backup.
     *
     * @param why it counts as not verified; absent when it is
     * @param rows in all tables; absent when nothing is known
     */
    public record BackupStatus(
            String file,
            Instant at,
            boolean verified,
            @Nullable String why,
            @Nullable Long rows) {}

    /**
     * One original.
     *
     * @param files the main file first
     */
    public record ArchiveStatus(String time, List<String> files, long bytes) {}
}
