package io.github.sqlitehealth.recovery;

/** Nothing has been copied out of a process. The message is one line that says why and what to do. */
public final class RescueRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    public RescueRefusedException(String message) {
        super(message);
    }
}
