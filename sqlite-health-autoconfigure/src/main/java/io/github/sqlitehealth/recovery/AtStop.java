package io.github.sqlitehealth.recovery;

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
     * @param used what shows that somebody else has used the database since, absent when nothing does
     * @param mainLocked whether somebody else holds a lock of SQLite on the main file at the path; to have it open is none
     * @param danger what ruins rows whatever is done here, absent when nothing is known to
     * @param anchorOpen whether there is a connection that can keep the last close from merging
     * @param poolOpen whether the application may have a connection open that could merge
     */
    public record Facts(
            boolean mainLost,
            @Nullable String used,
            boolean mainLocked,
            @Nullable String danger,
            boolean anchorOpen,
            boolean poolOpen) {}

    /** To merge is right only when nobody else has used the database since: what they wrote would be lost. */
    public static AtStop decide(Facts facts) {
        AtStop decided = facts.mainLost() || facts.used() != null ? amongOthers(facts) : alone(facts);
        return facts.danger() == null ? decided : new AtStop(decided.plan(), decided.why() + "; " + facts.danger());
    }

    private static AtStop alone(Facts facts) {
        return facts.poolOpen()
                ? new AtStop(Plan.MERGE, "nobody else has written since the files were lost, as far as can be seen")
                : new AtStop(Plan.KEEP, "the application has no connection open any more that could merge");
    }

    /** Without the anchor the last close does what SQLite does: it merges if it is alone with the file it has opened. */
    private static AtStop amongOthers(Facts facts) {
        String ends = facts.anchorOpen()
                ? ""
                : "; there is no rescue copy, so the rows in the lost files end with this process unless they are"
                        + " copied out of it before (command rescue --pid)";
        if (facts.mainLost()) {
            return new AtStop(Plan.KEEP, "the main file of this process is not the one at the path any more" + ends);
        }
        if (facts.anchorOpen()) {
            return new AtStop(Plan.KEEP, String.valueOf(facts.used()));
        }
        return facts.mainLocked()
                ? new AtStop(
                        Plan.KEEP,
                        facts.used()
                                + "; as long as another process has its lock on the main file the last close merges nothing,"
                                + " but if all others have ended by then it merges over their rows" + ends)
                : new AtStop(
                        Plan.MERGE,
                        facts.used()
                                + ", but nothing keeps the last close from merging, since no connection of the monitor is open and"
                                + " nobody else has a lock on the main file: kill the process instead of stopping it");
    }

    /** The word for it in health and log. */
    public String key() {
        return plan == Plan.MERGE ? "merge" : "keep";
    }
}
