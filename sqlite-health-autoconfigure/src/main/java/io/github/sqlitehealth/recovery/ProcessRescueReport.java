package io.github.sqlitehealth.recovery;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has been copied out of a process.
 *
 * @param pid its number
 * @param command the name of its program
 * @param database as that process knows it
 * @param standstill for how long it was stopped; absent when it was not, or had been before
 * @param copies one for each generation of the files
 * @param notes what somebody should know
 */
public record ProcessRescueReport(
        long pid,
        String command,
        String database,
        @Nullable Duration standstill,
        List<Copy> copies,
        List<String> notes) {

    public ProcessRescueReport {
        copies = List.copyOf(copies);
        notes = List.copyOf(notes);
    }

    /**
     * One copy.
     *
     * @param file where it is
     * @param of the files that it was made of
     * @param frames how many pages of -wal, in their committed versions, it contains
     * @param facts what a full check found in it, absent when it did not pass or nothing was copied
     * @param refused why it did not pass; absent when it did or nothing was copied
     */
    public record Copy(
            String file,
            String of,
            long frames,
            @Nullable CopyFacts facts,
            @Nullable String refused) {}

    /** Whether all of them can be relied on. */
    public boolean sound() {
        return copies.stream().allMatch(copy -> copy.refused() == null);
    }
}
