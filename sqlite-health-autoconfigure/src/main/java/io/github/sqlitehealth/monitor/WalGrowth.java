package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.WalHeader;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.witness.Circumstances;
import io.github.sqlitehealth.witness.HandleFacts;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether a WAL has stopped being reset. The size of the file says little, since a reset begins again from the front and
 * leaves the rest; but then the salts are others. So it takes two looks in a row that see the same salts, at the front
 * and beyond all that the database and automatic checkpoints account for, in a WAL that has grown in between or has not
 * been merged since it was last written. One big transaction is merged when it ends and is no hazard.
 */
final class WalGrowth {

    /** Automatic checkpoints leave 4 MB as a rule. */
    private static final long LEAST = 16 << 20;

    /** For applications that have turned automatic checkpoints off and make their own. */
    private static final long LEAST_WITHOUT_CHECKPOINTS = 64 << 20;

    /** So many automatic checkpoints have come to nothing. */
    private static final long CHECKPOINTS = 4;

    private static final long USUAL_CHECKPOINT_PAGES = 1000;

    private final Path main;
    private @Nullable Seen last;

    private record Seen(WalHeader header, long size) {}

    /** @param main the database file */
    WalGrowth(Path main) {
        this.main = main;
    }

    /** The fact of the hazard, if it holds. */
    @Nullable
    String look(Circumstances seen) {
        FileFacts main = seen.files().get(DatabaseFile.MAIN);
        FileFacts facts = seen.files().get(DatabaseFile.WAL);
        Seen before = last;
        last = null;
        if (main == null || facts == null || facts.size() <= Math.max(LEAST, main.size())) {
            return null;
        }
        WalHeader header = reaching(main.size(), seen.live());
        if (header == null) {
            return null;
        }
        last = new Seen(header, facts.size());
        boolean reset = before == null || !before.header().equals(header);
        boolean grown = before != null && facts.size() > before.size();
        boolean unmerged = main.modified().isBefore(facts.modified());
        return reset || !(grown || unmerged)
                ? null
                : "the WAL has come to " + Bytes.text(facts.size()) + ", the database file has "
                        + Bytes.text(main.size())
                        + ", and it has not been reset since the last look: a transaction that stays open keeps it from"
                        + " being merged, so reads get slower and the disk fills";
    }

    private static long limit(WalHeader header, @Nullable HandleFacts live) {
        long pages = live == null ? USUAL_CHECKPOINT_PAGES : live.walAutocheckpoint();
        return pages <= 0 ? LEAST_WITHOUT_CHECKPOINTS : Math.max(LEAST, CHECKPOINTS * pages * header.pageSize());
    }

    /** The header of a WAL that goes beyond the limits, absent when it does not or cannot be read. */
    private @Nullable WalHeader reaching(long mainSize, @Nullable HandleFacts live) {
        Path wal = DatabaseFile.WAL.beside(main);
        try {
            WalHeader header = WalHeader.of(wal);
            return header.reachesBeyond(Math.max(mainSize, limit(header, live)), wal) ? header : null;
        } catch (IOException ex) {
            return null;
        }
    }
}
