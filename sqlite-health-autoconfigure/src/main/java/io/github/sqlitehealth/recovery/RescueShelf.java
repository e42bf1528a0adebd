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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rescue copies of one incident: which get a name, and which are replaced by newer ones. */
final class RescueShelf {

    private static final Logger log = LoggerFactory.getLogger(RescueShelf.class);

    private static final int MOST_VERIFIED = 2;

    private static final int MOST_SPARED = 4;

    private final Timepiece time;
    private final Deque<RescueCopy> verified = new ArrayDeque<>();

    /** Those that stay for as long as the incident lasts; guarded by {@link #verified}, as that is. */
    private final Set<Path> spared = new HashSet<>();

    private @Nullable CopyFacts contents;
    private volatile @Nullable String lacking;
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

    /** What a newer copy lacks and an earlier one has; absent where none was seen to lack anything. */
    @Nullable
    String lacking() {
        return lacking;
    }

    /**
     * A copy is of what the process can read at its moment, and when somebody outside merges or removes what it reads
     * that is less than it was.
     */
    private void compare(CopyFacts now) {
        CopyFacts before = contents;
        contents = now;
        String less = before == null ? "" : now.lacking(before);
        RescueCopy earlier = less.isEmpty() ? null : spareNewest();
        if (earlier != null) {
            lacking = "newer copies lack rows (" + less + ") that " + earlier.file()
                    + " has, so that is kept: unless the application has deleted them, somebody outside has taken them"
                    + " away from this process";
        }
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
            compare(facts);
            List<RescueCopy> replaced = add(copy);
            last = copy;
            remove(unverified == null ? null : unverified.file());
            unverified = null;
            replaced.forEach(each -> remove(each.file()));
            return copy;
        } catch (CopyRefusedException ex) {
            Path file = temporary.resolveSibling("rescue-" + stamp + "-unverified.db");
            DurableFiles.rename(temporary, file);
            RescueCopy before = unverified;
            unverified = new RescueCopy(file, began, seen, false, String.valueOf(ex.getMessage()));
            remove(before == null ? null : before.file());
            last = last == null || !last.verified() ? unverified : last;
            throw new CopyRefusedException("the rescue copy " + file + " is kept but not verified: "
                    + String.valueOf(ex.getMessage()).replace(temporary.toString(), "it"));
        }
    }

    /** Adds one, and takes away those that it replaces. */
    private List<RescueCopy> add(RescueCopy copy) {
        synchronized (verified) {
            verified.addLast(copy);
            List<RescueCopy> replaceable = verified.stream()
                    .filter(each -> !spared.contains(each.file()))
                    .toList();
            List<RescueCopy> replaced = replaceable.subList(0, Math.max(0, replaceable.size() - MOST_VERIFIED));
            verified.removeAll(replaced);
            return replaced;
        }
    }

    /**
     * The newest copy is not replaced any more: newer ones may lack rows that it has. Does not wait.
     *
     * @return the copy; absent when there is none, when it is spared already, or when too many are
     */
    @Nullable
    RescueCopy spareNewest() {
        synchronized (verified) {
            RescueCopy newest = verified.peekLast();
            return newest != null && spared.size() < MOST_SPARED && spared.add(newest.file()) ? newest : null;
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
