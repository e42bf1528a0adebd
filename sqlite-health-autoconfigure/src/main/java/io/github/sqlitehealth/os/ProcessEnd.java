package io.github.sqlitehealth.os;

/** The end of this process. */
public final class ProcessEnd {

    private ProcessEnd() {}

    /** At once, as by {@code kill -9}: nothing is closed, no shutdown hook runs. */
    public static void halt(int code) {
        Runtime.getRuntime().halt(code);
    }
}
