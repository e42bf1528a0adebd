package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rescue copies of one incident: which get a name, and which are replaced by newer ones. */
final class RescueShelf {

    private static final Logger log = LoggerFactory.getLogger(RescueShelf.class);

    private static final int MOST_VERIFIED = 2;

    private final Timepiece time;
    private final Deque<RescueCopy> verified = new ArrayDeque<>();
    private @Nullable RescueCopy unverified;
    private volatile @Nullable RescueCopy last;

    RescueShelf(Timepiece time) {
        this.time = time;
    }

    /** The newest one, which is a verified one if there is any. */
    @Nullable
    RescueCopy last() {
        return last;
    }

    /** Checks one. What does not pass is kept, too, under a name that says so: it may be all there is. */
    RescueCopy keep(Path temporary, Instant began, Anchor.Seen seen, Duration limit)
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

    static void remove(@Nullable Path file) {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
                Files.deleteIfExists(file.resolveSibling(file.getFileName() + "-journal"));
            } catch (IOException ex) {
                log.debug("{} cannot be removed", file, ex);
            }
        }
    }
}
