package io.github.sqlitehealth.recovery;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a graceful stop of a stranded process does with the rows that are only in its nameless -wal.
 *
 * @param plan which of the two
 * @param why in words
 */
public record AtStop(Plan plan, String why) {

    /** The two ways to stop. */
    public enum Plan {
        /** The last connection of the application checkpoints: the rows come into the main file. */
        MERGE,
        /** The main file and what is at the paths stay as they are; the rows are in the rescue copy. */
        KEEP
    }

    /**
     * What is known.
     *
     * @param mainLost whether the main file that is held is not the one at the path
     * @param written what shows that somebody else has written, absent when nothing does
     * @param holders who else holds the files at the paths, absent when nobody is seen
     * @param moved what shows that the main file has changed, absent when it has not
     * @param anchorOpen whether there is a connection that can keep the last close from merging
     * @param poolOpen whether the application may have a connection open that could merge
     */
    public record Facts(
            boolean mainLost,
            @Nullable String written,
            @Nullable String holders,
            @Nullable String moved,
            boolean anchorOpen,
            boolean poolOpen) {}

    /** To merge is right only when nobody else has used the database since: what they wrote would be lost. */
    public static AtStop decide(Facts facts) {
        String others = Stream.of(
                        facts.mainLost() ? "the main file of this process is not the one at the path any more" : null,
                        facts.written(),
                        facts.holders(),
                        facts.moved())
                .filter(fact -> fact != null)
                .findFirst()
                .orElse(null);
        if (others != null && !facts.anchorOpen()) {
            return new AtStop(
                    Plan.MERGE,
                    others + ", but no connection of the monitor is open that could prevent the merge: kill the process"
                            + " instead of stopping it");
        }
        if (others != null) {
            return new AtStop(Plan.KEEP, others);
        }
        if (!facts.poolOpen()) {
            return new AtStop(Plan.KEEP, "the application has no connection open any more that could merge");
        }
        return new AtStop(Plan.MERGE, "nobody else has written since the files were lost, as far as can be seen");
    }

    /** The word for it in health and log. */
    public String key() {
        return plan == Plan.MERGE ? "merge" : "keep";
    }
}
