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

    static WalHeader of(Path wal) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(LENGTH);
        try (FileChannel channel = FileChannel.open(wal, StandardOpenOption.READ)) {
            while (header.hasRemaining() && channel.read(header) >= 0) {
                // until the header is whole or the file ends
            }
        }
        if (header.hasRemaining()) {
            throw new IOException("the WAL has no header: it is " + header.position() + " bytes long");
        }
        return new WalHeader(unsigned(header, 8), unsigned(header, 12), unsigned(header, 16), unsigned(header, 20));
    }

    private static long unsigned(ByteBuffer header, int offset) {
        return Integer.toUnsignedLong(header.getInt(offset));
    }
}
