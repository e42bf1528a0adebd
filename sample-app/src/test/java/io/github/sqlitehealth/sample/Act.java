package io.github.sqlitehealth.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * What is done to a database from outside, each by a real program in a process of its own. A test on a machine without
 * the program is skipped, and says what to install.
 */
final class Act {

    /** What {@link #dd} writes. */
    enum Filler {
        RANDOM("/dev/urandom"),
        ZERO("/dev/zero");

        private final String source;

        Filler(String source) {
            this.source = source;
        }
    }

    /** A page of a database file, in bytes. */
    record Page(long offset, long size) {}

    private Act() {}

    /** Runs statements and dot commands one after the other on one connection; what they print. */
    static String sqlite3(Path database, String... sql) {
        return sqlite3(database.toString(), sql);
    }

    private static String sqlite3(String nameOrUri, String... sql) {
        List<String> command = new ArrayList<>(List.of("sqlite3", "-batch", "-bail", "-cmd", ".timeout 10000"));
        command.add(nameOrUri);
        command.addAll(List.of(sql));
        return run("sqlite3", command);
    }

    /**
     * Writes many rows and moves them all from -wal into the main file, where {@link #dd} can reach them. As both come
     * from another process, every connection of the gateway drops its cached pages at its next read.
     */
    static void fill(Path database, int rows) {
        String insert = "with recursive n (i) as (select 1 union all select i + 1 from n where i < " + rows + ")"
                + " insert into messages (body) select 'filler ' || i || ' ' || hex(randomblob(50)) from n";
        String busyAndFrames = sqlite3(database, insert, "pragma wal_checkpoint(truncate)");
        if (!busyAndFrames.equals("0|0|0\n")) {
            throw new AssertionError("Not checkpointed: " + busyAndFrames);
        }
    }

    /**
     * A writer that sees nobody's locks, as on a mount without them: it believes to be alone, so at its end it
     * checkpoints and unlinks -wal under everyone who has it open.
     */
    static void lockBlindWriter(Path database, String sql) {
        sqlite3("file:" + database.toUri().getRawPath() + "?vfs=unix-none", "pragma locking_mode=exclusive; " + sql);
    }

    static void rm(Path... files) {
        coreutil("rm", (Object[]) files);
    }

    static void mv(Path from, Path to) {
        coreutil("mv", "-T", from, to);
    }

    static void cp(Path from, Path to) {
        coreutil("cp", "-T", from, to);
    }

    static void truncate(Path file, long size) {
        coreutil("truncate", "--size=" + size, file);
    }

    static void chmod(String mode, Path... files) {
        coreutil("chmod", Stream.concat(Stream.of(mode), Arrays.stream(files)).toArray());
    }

    /** Overwrites bytes in place, at once and without cutting the file. */
    static void dd(Path file, long offset, long count, Filler filler) {
        dd(Path.of(filler.source), 0, file, offset, count);
    }

    static void dd(Path file, Page page, Filler filler) {
        dd(file, page.offset(), page.size(), filler);
    }

    /** Brings a page back as it is in a copy of the database. */
    static void heal(Path file, Page page, Path copy) {
        dd(copy, page.offset(), file, page.offset(), page.size());
    }

    private static void dd(Path from, long skip, Path to, long seek, long count) {
        List<Object> words = new ArrayList<>(List.of("if=" + from, "of=" + to, "conv=notrunc", "status=none"));
        words.addAll(List.of("bs=1M", "iflag=fullblock,count_bytes,skip_bytes", "oflag=seek_bytes"));
        words.addAll(List.of("skip=" + skip, "seek=" + seek, "count=" + count));
        coreutil("dd", words.toArray());
    }

    /** The first leaf of a table or index; without dbstat in this sqlite3 its root, which is as good to damage. */
    static Page pageOf(Path database, String tableOrIndex) {
        String dbstat = "select min(pageno) from dbstat where pagetype = 'leaf' and name = '" + tableOrIndex + "'";
        String root = "select rootpage from sqlite_schema where name = '" + tableOrIndex + "'";
        boolean hasDbstat = sqlite3(database, "pragma compile_options").lines().anyMatch("ENABLE_DBSTAT_VTAB"::equals);
        long size = Long.parseLong(sqlite3(database, "pragma page_size").strip());
        long number =
                Long.parseLong(sqlite3(database, hasDbstat ? dbstat : root).strip());
        return new Page((number - 1) * size, size);
    }

    private static void coreutil(String program, Object... arguments) {
        run(
                "coreutils",
                Stream.concat(Stream.of(program), Arrays.stream(arguments).map(Object::toString))
                        .toList());
    }

    private static String run(String debianPackage, List<String> command) {
        try {
            Process process = start(debianPackage, command);
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(command + " failed: " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static Process start(String debianPackage, List<String> command) throws IOException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            // 2 is ENOENT; any other failure is one of the test, not of the machine.
            if (String.valueOf(e.getMessage()).contains("error=2,")) {
                throw new TestAbortedException(
                        command.get(0) + " is not installed (Debian package " + debianPackage + ")", e);
            }
            throw e;
        }
    }
}
