package io.github.sqlitehealth.witness;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.jdbc4.JDBC4Connection;

/**
 * Opens connections of our own, which never create a file and never come from the application's pool: read-only ones,
 * but for copies.
 */
public final class FreshConnections {

    private static final int BUSY_TIMEOUT_MILLIS = 1000;

    /** No more of it than makes it one: what is opened is in the URI. */
    private static final String JDBC_URL = JDBC.PREFIX;

    private static final String PLAIN = "/-_.~";

    private FreshConnections() {}

    /**
     * Opens a database that exists. In this process such a connection shares the -shm of the others by the main file's
     * inode, while it opens the -wal by name: it is no second opinion while the process is stranded.
     *
     * @throws SQLException CANTOPEN when there is no file
     */
    public static Connection open(Path file) throws SQLException {
        // One of these connections stays open for each database, so it keeps neither settings nor a second text of the
        // path; that it may only read is in the URI.
        JDBC4Connection connection = new JDBC4Connection(JDBC_URL, uri(file), new Properties());
        connection.setBusyTimeout(BUSY_TIMEOUT_MILLIS);
        return connection;
    }

    /**
     * Opens a database file that nobody uses and nobody changes, such as a backup. No sidecar is read or created beside
     * it, so the caller has to know that there is none.
     *
     * @throws SQLException CANTOPEN when there is no file
     */
    public static Connection openUnused(Path file) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        return config.createConnection("jdbc:sqlite:" + uri(file) + "&immutable=1");
    }

    /**
     * Opens a copy that this process has made of files that others use, so that SQLite brings it in order: it rolls back
     * what is half done, and what is in its -wal can be moved into it.
     *
     * @throws SQLException CANTOPEN when there is no file
     */
    public static Connection openCopy(Path file) throws SQLException {
        return new SQLiteConfig().createConnection("jdbc:sqlite:" + escaped(file) + "?mode=rw");
    }

    /** The file as SQLite's URI, with every byte escaped that could mean something in one. */
    static String uri(Path file) {
        return escaped(file) + "?mode=ro";
    }

    private static String escaped(Path file) {
        StringBuilder uri = new StringBuilder("file:");
        for (byte each : file.toString().getBytes(StandardCharsets.UTF_8)) {
            char plain = (char) (each & 0xff);
            if (each > 0 && (Character.isLetterOrDigit(plain) || PLAIN.indexOf(plain) >= 0)) {
                uri.append(plain);
            } else {
                uri.append('%').append(String.format("%02X", each & 0xff));
            }
        }
        return uri.toString();
    }
}
