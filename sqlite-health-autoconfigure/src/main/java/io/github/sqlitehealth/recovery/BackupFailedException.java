package io.github.sqlitehealth.recovery;

/** There is no new backup; the message is one line that says of what and why. */
public final class BackupFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean busy;

    public BackupFailedException(String message) {
        this(message, false);
    }

    BackupFailedException(String message, boolean busy) {
        super(message);
        this.busy = busy;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Whether nothing is wrong but that somebody else is at it. */
    public boolean busy() {
        return busy;
    }
}
