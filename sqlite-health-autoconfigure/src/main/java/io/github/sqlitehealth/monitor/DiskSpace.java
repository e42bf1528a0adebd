package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Volume;
import io.github.sqlitehealth.witness.Circumstances;
import org.jspecify.annotations.Nullable;

/**
 * Whether the volume has room for what an emergency needs: one more copy of the database. Once there was too little, a
 * quarter more is asked for before all is well again, so that a value on the edge does not come and go with each look.
 */
final class DiskSpace {

    /** For small databases; a tenth of the volume where that is less, since a small one may be meant to be small. */
    private static final long LEAST = 64 << 20;

    private static final int PART_OF_A_SMALL_VOLUME = 10;

    private boolean low;

    /** The fact of the hazard, if it holds. */
    @Nullable
    String look(Circumstances seen) {
        Volume volume = seen.volume();
        if (volume == null || volume.totalBytes() <= 0) {
            low = false; // a file system that does not tell its size
            return null;
        }
        long copy = seen.size(DatabaseFile.MAIN) + seen.size(DatabaseFile.WAL);
        long needed = Math.max(copy, Math.min(LEAST, volume.totalBytes() / PART_OF_A_SMALL_VOLUME));
        low = volume.freeBytes() < (low ? needed + needed / 4 : needed);
        return !low
                ? null
                : Bytes.text(volume.freeBytes()) + " of " + Bytes.text(volume.totalBytes())
                        + " are free on the volume of the database"
                        + (volume.mountPoint().isEmpty() ? "" : " (" + volume.mountPoint() + ")") + ", and at least "
                        + Bytes.text(needed)
                        + " should be: a rescue copy or a VACUUM will not fit, and soon writes will fail";
    }
}
