package io.github.sqlitehealth.witness;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is known of releases of SQLite. */
final class SqliteVersions {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?.*");

    private SqliteVersions() {}

    /**
     * Whether a release may corrupt a database when it resets a WAL: 3.7.0 to 3.51.2, repaired in 3.51.3 and in 3.50.7
     * and 3.44.6, see https://www.sqlite.org/wal.html. Of an unknown version nothing is claimed.
     */
    static boolean hasWalResetBug(String version) {
        Matcher parts = VERSION.matcher(version);
        if (!parts.matches() || !parts.group(1).equals("3")) {
            return false;
        }
        int minor = Integer.parseInt(parts.group(2));
        int patch = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        return switch (minor) {
            case 51 -> patch < 3;
            case 50 -> patch < 7;
            case 44 -> patch < 6;
            default -> minor >= 7 && minor < 51;
        };
    }
}
