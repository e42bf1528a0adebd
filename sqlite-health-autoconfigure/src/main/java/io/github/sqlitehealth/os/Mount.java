package io.github.sqlitehealth.os;

import org.jspecify.annotations.Nullable;

/** A mounted file system, by one line of {@code mountinfo}. */
record Mount(String point, String type) {

    /** {@code 36 35 98:0 /root /mount/point rw,noatime master:1 - ext3 /dev/root rw}, with any number of fields before the dash. */
    static @Nullable Mount parse(String line) {
        int dash = line.indexOf(" - ");
        String[] before = line.split(" ");
        if (dash < 0 || before.length < 5) {
            return null;
        }
        return new Mount(
                Volumes.unescape(before[4]),
                Volumes.unescape(line.substring(dash + 3).split(" ")[0]));
    }

    boolean holds(String path) {
        return path.startsWith(point)
                && (point.endsWith("/") || path.length() == point.length() || path.charAt(point.length()) == '/');
    }
}
