package io.github.sqlitehealth.monitor;

import java.util.Locale;

/** Sizes for people. */
final class Bytes {

    private static final String[] UNITS = {"bytes", "KB", "MB", "GB", "TB"};

    private Bytes() {}

    /** Such as {@code 512 bytes} or {@code 12.3 MB}. */
    static String text(long bytes) {
        double size = bytes;
        int unit = 0;
        while (size >= 1024 && unit < UNITS.length - 1) {
            size /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " " + UNITS[0] : String.format(Locale.ROOT, "%.1f %s", size, UNITS[unit]);
    }
}
