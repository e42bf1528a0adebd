package io.github.sqlitehealth.os;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All POSIX locks of this process in one reading of {@code /proc/locks}, for those who look at many files: a reading
 * serves everybody for a moment. What it does not show may still be held, since some file systems number their devices
 * differently there; ask {@link OwnDescriptors#locks} then. Any thread may ask.
 */
public final class OwnLocks {

    private static final long FRESH_NANOS = Duration.ofMillis(200).toNanos();

    private final Path file;
    private final long self = ProcessHandle.current().pid();

    /** For as long as memory is not needed otherwise. */
    private WeakReference<Map<FileId, List<PosixLock>>> locks = new WeakReference<>(null);

    private long readAt = System.nanoTime() - FRESH_NANOS;

    /** @param proc where the proc file system is mounted */
    public OwnLocks(Path proc) {
        this.file = proc.resolve("locks");
    }

    /** Whether a lock of this process covers a range of a file, as far as a reading of the last 200 ms shows. */
    public boolean covers(FileId id, long start, long end) {
        for (PosixLock lock : recent().getOrDefault(id, List.of())) {
            if (lock.start() <= start && lock.end() >= end) {
                return true;
            }
        }
        return false;
    }

    private synchronized Map<FileId, List<PosixLock>> recent() {
        Map<FileId, List<PosixLock>> recent = locks.get();
        if (recent == null || System.nanoTime() - readAt >= FRESH_NANOS) {
            recent = read();
            locks = new WeakReference<>(recent);
            readAt = System.nanoTime();
        }
        return recent;
    }

    private Map<FileId, List<PosixLock>> read() {
        Map<FileId, List<PosixLock>> read = new HashMap<>();
        try {
            Lines lines = new Lines(Files.readAllBytes(file));
            while (lines.next()) {
                add(lines, read);
            }
        } catch (IOException | RuntimeException e) {
            return Map.of();
        }
        return read;
    }

    /** {@code 1: POSIX  ADVISORY  READ 1234 fe:00:5678 128 128}; a request that waits has an arrow after the number. */
    private void add(Lines line, Map<FileId, List<PosixLock>> read) {
        line.skip(1);
        if (line.startsWith("POSIX ")) {
            line.skip(2);
            String type = line.startsWith("READ ") ? "READ" : "WRITE";
            line.skip(1);
            if (line.number(10) == self) {
                long device = device(line.number(16), line.number(16));
                FileId id = new FileId(device, line.number(10));
                long start = line.number(10);
                long end = line.startsWith("EOF") ? Long.MAX_VALUE : line.number(10);
                read.computeIfAbsent(id, any -> new ArrayList<>(2)).add(new PosixLock(type, start, end));
            }
        }
    }

    /** Reads words and numbers off lines; with a thousand databases there are thousands of lines every second. */
    private static final class Lines {

        private final byte[] text;
        private int at;
        private int end = -1;

        Lines(byte[] text) {
            this.text = text;
        }

        boolean next() {
            at = end + 1;
            end = at;
            while (end < text.length && text[end] != '\n') {
                end++;
            }
            return at < text.length;
        }

        void skip(int words) {
            for (int i = 0; i < words; i++) {
                while (at < end && text[at] != ' ') {
                    at++;
                }
                while (at < end && text[at] == ' ') {
                    at++;
                }
            }
        }

        boolean startsWith(String word) {
            boolean same = at + word.length() <= end;
            for (int i = 0; same && i < word.length(); i++) {
                same = text[at + i] == word.charAt(i);
            }
            return same;
        }

        /** The number that begins here, and on to what follows it and a colon or spaces. */
        long number(int radix) {
            long number = 0;
            for (; at < end && Character.digit(text[at], radix) >= 0; at++) {
                number = number * radix + Character.digit(text[at], radix);
            }
            while (at < end && (text[at] == ' ' || text[at] == ':')) {
                at++;
            }
            return number;
        }
    }

    /** The number that {@code stat} gives for a device: the bits of the minor number stand on both sides of the major. */
    private static long device(long major, long minor) {
        return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffL) << 12;
    }
}
