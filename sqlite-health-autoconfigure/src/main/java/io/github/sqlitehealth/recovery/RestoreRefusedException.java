package io.github.sqlitehealth.recovery;

/**
 * A restore has not begun, or an interrupted one cannot go on: nothing has been changed on disk. The message is one line
 * that says which file, why, and what to do.
 */
public final class RestoreRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    public RestoreRefusedException(String message) {
        super(message);
    }
}
