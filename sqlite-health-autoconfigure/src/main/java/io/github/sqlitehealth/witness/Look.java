package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one look at the files of a database saw.
 *
 * @param files what is at the paths; a file that is not there has no entry
 * @param stale files that are held and are not at their paths
 * @param held whether this process was seen to hold the main file; with descriptors unreadable, whether it may
 * @param unseen why descriptors could not be compared, absent when they were or need not be
 */
public record Look(
        Map<DatabaseFile, FileFacts> files,
        List<Stale> stale,
        boolean held,
        @Nullable String unseen) {

    public Look {
        files = Map.copyOf(files);
        stale = List.copyOf(stale);
    }

    boolean suspicious() {
        return !stale.isEmpty();
    }

    /** What both looks saw: a connection that is just being closed is stale for an instant. */
    List<Stale> confirmed(Look earlier) {
        return stale.stream()
                .filter(now -> earlier.stale.stream().anyMatch(now::sameFile))
                .toList();
    }

    boolean missing() {
        return !held && stale.isEmpty() && !files.containsKey(DatabaseFile.MAIN);
    }

    static String describe(List<Stale> stale) {
        return stale.stream().map(Stale::describe).distinct().sorted().collect(Collectors.joining("; "));
    }
}
