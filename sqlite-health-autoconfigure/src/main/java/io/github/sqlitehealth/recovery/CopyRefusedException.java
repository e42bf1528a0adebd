package io.github.sqlitehealth.recovery;

/** A file is not a copy that anybody should rely on; the message is one line that says which file and why. */
public final class CopyRefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    CopyRefusedException(String message) {
        super(message);
    }
}
