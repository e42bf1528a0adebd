package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
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
    private final String self = Long.toString(ProcessHandle.current().pid());
    private Map<FileId, List<PosixLock>> locks = Map.of();
    private long readAt = System.nanoTime() - FRESH_NANOS;

    /** @param proc where the proc file system is mounted */
    public OwnLocks(Path proc) {
        this.file = proc.resolve("locks");
    }

    /** Whether a lock of this process covers a range of a file, as far as a reading of the last 200 ms shows. */
    public boolean covers(FileId id, long start, long end) {
        return recent().getOrDefault(id, List.of()).stream()
                .anyMatch(lock -> lock.start() <= start && lock.end() >= end);
    }

    private synchronized Map<FileId, List<PosixLock>> recent() {
        if (System.nanoTime() - readAt >= FRESH_NANOS) {
            locks = read();
            readAt = System.nanoTime();
        }
        return locks;
    }

    private Map<FileId, List<PosixLock>> read() {
        Map<FileId, List<PosixLock>> read = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file, ISO_8859_1)) {
                add(line.split("\\s+"), read);
            }
        } catch (IOException | RuntimeException e) {
            return Map.of();
        }
        return read;
    }

    /** {@code 1: POSIX  ADVISORY  READ 1234 fe:00:5678 128 128}; a request that waits has an arrow after the number. */
    private void add(String[] words, Map<FileId, List<PosixLock>> read) {
        if (words.length < 8 || !words[1].equals("POSIX") || !words[4].equals(self)) {
            return;
        }
        String[] id = words[5].split(":");
        long end = words[7].equals("EOF") ? Long.MAX_VALUE : Long.parseLong(words[7]);
        read.computeIfAbsent(
                        new FileId(device(Long.parseLong(id[0], 16), Long.parseLong(id[1], 16)), Long.parseLong(id[2])),
                        any -> new ArrayList<>())
                .add(new PosixLock(words[3], Long.parseLong(words[6]), end));
    }

    /** The number that {@code stat} gives for a device: the bits of the minor number stand on both sides of the major. */
    private static long device(long major, long minor) {
        return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffL) << 12;
    }
}
