package io.github.sqlitehealth.os;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Copies a part of a file in a child process, since this process must not open and close a database file that it holds:
 * that would drop the locks of all its connections. Not on Windows, which has no {@code dd}.
 */
public final class FilePart {

    /** Parts begin and end at multiples of this, as every page of at least this size does. */
    public static final int BLOCK = 1 << 16;

    private FilePart() {}

    /**
     * Copies some blocks to the same place of another file, and leaves the rest of that as it is.
     *
     * @param first the number of the first block
     * @throws IOException when it cannot be done within the limit, or when this thread is interrupted
     */
    public static void copy(Path from, Path to, long first, long blocks, Duration limit) throws IOException {
        Program.Output output = Program.run(
                List.of(
                        "dd",
                        "if=" + from,
                        "of=" + to,
                        "bs=" + BLOCK,
                        "skip=" + first,
                        "seek=" + first,
                        "count=" + blocks,
                        "conv=notrunc"),
                new Deadline(limit));
        if (!output.ended()) {
            throw new IOException("dd took longer than " + limit.toMillis() + " ms");
        }
        if (output.code() != 0) {
            throw new IOException("dd failed with exit code " + output.code());
        }
    }
}
