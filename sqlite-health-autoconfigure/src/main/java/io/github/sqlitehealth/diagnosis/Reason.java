package io.github.sqlitehealth.diagnosis;

/** Why a witness did not simply say {@link Answer#OK}; chosen from result codes, never from the wording of a message. */
public enum Reason {
    /** Nothing to explain. */
    NONE,
    /** A file that is held open is no longer the file at its path. */
    STALE_FILES,
    /** There is no file at the path, and none is held. */
    NO_FILE,
    /** SQLite answered with CORRUPT (11) or NOTADB (26), or a check returned anything but {@code ok}. */
    CORRUPT,
    /** SQLite answered with IOERR (10) or CANTOPEN (14). */
    IO_ERROR,
    /** SQLite answered with BUSY (5) or LOCKED (6). */
    BUSY,
    /** The question was cancelled at its time-out. */
    INTERRUPTED,
    /** The pool had no connection to spare. */
    NO_CONNECTION,
    /** Something that only the application's own connections have: a collation, a function, a tokenizer. */
    APPLICATION_ONLY,
    /** This system, this journal mode or this configuration gives no way to ask. */
    NOT_SUPPORTED,
    /** Nobody has asked yet. */
    NOT_YET,
    /** What was there before is gone. */
    EMPTY,
    /** Locks that were held have vanished. */
    LOCKS_GONE,
    /** A statement of the application failed for want of sound storage. */
    STORAGE,
    /** Any other error. */
    OTHER
}
