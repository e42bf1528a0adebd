package io.github.sqlitehealth.witness;

/** What somebody else's message becomes before it goes into logs, health and snapshots. */
final class Brief {

    private static final int LONGEST = 300;

    private Brief() {}

    /** One line, since a problem may be a row of several; without JDBC URLs, which may hold secrets. */
    static String of(String text) {
        String line = text.strip().replaceAll("\\s+", " ").replaceAll("(?i)jdbc:\\S+", "jdbc:…");
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}
