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

    /** From so many locks in the whole system on a reading takes milliseconds. */
    private static final int MANY = 500;

    /** What is lost among many has to be found within two seconds, and those who look do so once a second. */
    private static final long FRESH_AMONG_MANY_NANOS = Duration.ofMillis(1500).toNanos();

    private final Path file;
    private final long self = ProcessHandle.current().pid();

    /** For as long as memory is not needed otherwise. */
    private WeakReference<Map<FileId, List<PosixLock>>> locks = new WeakReference<>(null);

    private long readAt = System.nanoTime() - FRESH_NANOS;
    private long freshFor = FRESH_NANOS;

    /** @param proc where the proc file system is mounted */
    public OwnLocks(Path proc) {
        this.file = proc.resolve("locks");
    }

    /**
     * Whether a lock of this process covers a range of a file, as far as a reading of the last 200 ms shows; where there
     * are very many locks, of the last 1.5 s.
     *
     * @param since no reading will do that was begun before this {@link System#nanoTime()}
     */
    public boolean covers(FileId id, long start, long end, long since) {
        for (PosixLock lock : recent(since).getOrDefault(id, List.of())) {
            if (lock.start() <= start && lock.end() >= end) {
                return true;
            }
        }
        return false;
    }

    private synchronized Map<FileId, List<PosixLock>> recent(long since) {
        Map<FileId, List<PosixLock>> recent = locks.get();
        long now = System.nanoTime();
        if (recent == null || now - readAt >= freshFor || readAt - since < 0) {
            readAt = now;
            recent = read();
            locks = new WeakReference<>(recent);
        }
        return recent;
    }

    private Map<FileId, List<PosixLock>> read() {
        Map<FileId, List<PosixLock>> read = new HashMap<>();
        try {
            Lines lines = new Lines(Files.readAllBytes(file));
            int all = 0;
            while (lines.next()) {
                add(lines, read);
                all++;
            }
            freshFor = all < MANY ? FRESH_NANOS : FRESH_AMONG_MANY_NANOS;
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
