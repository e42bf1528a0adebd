package io.github.sqlitehealth.os;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock that a process holds on a range of bytes of a file.
 *
 * @param type {@code READ} or {@code WRITE}
 * @param start the first byte; -1 where the system tells that there is a lock but not on which bytes (lsof)
 * @param end the last byte; {@link Long#MAX_VALUE} for "to the end of the file"; -1 like the start
 */
public record PosixLock(String type, long start, long end) {

    /** The bytes of the main file on which SQLite takes its locks: PENDING_BYTE to the end of SHARED_SIZE in its os.h. */
    private static final long SQLITE_FIRST = 0x40000000L;

    private static final long SQLITE_LAST = SQLITE_FIRST + 511;

    /** On the main file: whether it keeps every other process from locking that as its only user. */
    public boolean keepsOthersFromBeingAlone() {
        return start <= SQLITE_LAST && end >= SQLITE_FIRST;
    }

    /**
     * Reads the {@code lock:} lines of a fdinfo file: {@code lock: 1: POSIX ADVISORY READ 1234 fe:00:5678 128 128}.
     * Other kinds of lock (FLOCK, OFDLCK, LEASE) and requests that still wait ({@code ->}) are left out.
     */
    static List<PosixLock> parse(List<String> fdinfo) {
        List<PosixLock> locks = new ArrayList<>();
        for (String line : fdinfo) {
            PosixLock lock = line.startsWith("lock:") ? parse(line) : null;
            if (lock != null) {
                locks.add(lock);
            }
        }
        return List.copyOf(locks);
    }

    private static @Nullable PosixLock parse(String line) {
        String[] words = line.split("\\s+");
        if (words.length < 9 || !words[2].equals("POSIX")) {
            return null;
        }
        try {
            long end = words[8].equals("EOF") ? Long.MAX_VALUE : Long.parseLong(words[8]);
            return new PosixLock(words[4], Long.parseLong(words[7]), end);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
