package io.github.sqlitehealth.recovery;

/** Numbers of things, for people. */
public final class Counted {

    private Counted() {}

    /** Such as {@code 1 table} or {@code 2 tables}. */
    public static String of(long number, String one) {
        String many = one.endsWith("y") ? one.substring(0, one.length() - 1) + "ies" : one + "s";
        return number + " " + (number == 1 ? one : many);
    }
}
