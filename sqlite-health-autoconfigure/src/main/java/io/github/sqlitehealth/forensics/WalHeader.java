package io.github.sqlitehealth.forensics;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The header of a -wal file, see https://www.sqlite.org/fileformat2.html#walformat. This is the one file of a database
 * that may be opened outside SQLite: it carries no locks.
 *
 * @param pageSize in bytes
 * @param checkpointSequence grows with every restart of the WAL
 * @param salt1 incremented with every restart
 * @param salt2 random with every restart
 */
public record WalHeader(long pageSize, long checkpointSequence, long salt1, long salt2) {

    private static final int LENGTH = 32;
    private static final int FRAME_HEADER = 24;

    /**
     * Reads the header of a -wal file.
     *
     * @throws IOException when there is no such file, or no header in it yet
     */
    public static WalHeader of(Path wal) throws IOException {
        ByteBuffer header = read(wal, 0, LENGTH);
        if (header.hasRemaining()) {
            throw new IOException("the WAL has no header: it is " + header.position() + " bytes long");
        }
        return new WalHeader(unsigned(header, 8), unsigned(header, 12), unsigned(header, 16), unsigned(header, 20));
    }

    /**
     * Whether what was written since the last restart goes beyond the first bytes of the file. Its size does not tell,
     * since a restart begins at the front and leaves what is behind.
     *
     * @throws IOException when the file cannot be read
     */
    public boolean reachesBeyond(long bytes, Path wal) throws IOException {
        long frame = FRAME_HEADER + pageSize;
        ByteBuffer header = read(wal, LENGTH + Math.max(0, bytes - LENGTH) / frame * frame, FRAME_HEADER);
        return !header.hasRemaining() && unsigned(header, 8) == salt1 && unsigned(header, 12) == salt2;
    }

    private static ByteBuffer read(Path wal, long from, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try (FileChannel channel = FileChannel.open(wal, StandardOpenOption.READ)) {
            channel.position(from);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // until all is read or the file ends
            }
        }
        return bytes;
    }

    private static long unsigned(ByteBuffer header, int offset) {
        return Integer.toUnsignedLong(header.getInt(offset));
    }
}
