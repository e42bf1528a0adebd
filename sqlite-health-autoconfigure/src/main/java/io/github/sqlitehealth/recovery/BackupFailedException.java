package io.github.sqlitehealth.recovery;

import org.sqlite.SQLiteErrorCode;

/** There is no new backup; the message is one line that says of what and why. */
public final class BackupFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean busy;
    private final boolean locked;

    public BackupFailedException(String message) {
        this(message, false);
    }

    BackupFailedException(String message, boolean busy) {
        this(message, busy, false);
    }

    private BackupFailedException(String message, boolean busy, boolean locked) {
        super(message);
        this.busy = busy;
        this.locked = locked;
    }

    /** @param code that SQLite gave */
    static BackupFailedException of(String message, int code) {
        int primary = code & 0xff;
        return new BackupFailedException(
                message,
                false,
                primary == SQLiteErrorCode.SQLITE_BUSY.code || primary == SQLiteErrorCode.SQLITE_LOCKED.code);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Whether nothing is wrong but that somebody else is at it. */
    public boolean busy() {
        return busy;
    }

    /** Whether the database could not be asked at all, since somebody else had locked it. */
    public boolean locked() {
        return locked;
    }
}
