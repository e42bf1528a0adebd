package io.github.sqlitehealth.recovery;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is true of a copy that has passed a full check.
 *
 * @param bytes the size of the file
 * @param pages how many pages it has
 * @param applicationId what the application says it is, zero when it says nothing
 * @param userVersion the application's own version of its schema
 * @param schemaVersion SQLite's count of schema changes
 * @param rows number of rows of each ordinary table; a table that needs something only the application has is left out
 * @param check {@code ok}, or how much of it could be checked without what only the application's connections have
 * @param sha256 of the file, in hexadecimal digits
 */
public record CopyFacts(
        long bytes,
        long pages,
        long applicationId,
        long userVersion,
        long schemaVersion,
        Map<String, Long> rows,
        String check,
        String sha256) {

    public CopyFacts {
        rows = Map.copyOf(rows);
    }

    /** The rows of all tables. */
    public long allRows() {
        return rows.values().stream().mapToLong(Long::longValue).sum();
    }

    /** In which tables an earlier copy has rows that this one lacks, for people; empty where it has as many or more. */
    String lacking(CopyFacts earlier) {
        return earlier.rows().entrySet().stream()
                .filter(table -> rows.getOrDefault(table.getKey(), 0L) < table.getValue())
                .sorted(Map.Entry.comparingByKey())
                .map(table -> rows.getOrDefault(table.getKey(), 0L) + " of " + Counted.of(table.getValue(), "row")
                        + " in " + table.getKey())
                .collect(Collectors.joining(", "));
    }

    /** What is in it, for people. */
    public String contents() {
        return Counted.of(allRows(), "row") + " in " + Counted.of(rows.size(), "table");
    }
}
