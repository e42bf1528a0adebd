package io.github.sqlitehealth.witness;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** Opens read-only connections of our own, which never create a file and never come from the application's pool. */
public final class FreshConnections {

    private static final String BUSY_TIMEOUT_MILLIS = "1000";

    private static final String READ_ONLY = Integer.toString(SQLiteOpenMode.READONLY.flag);

    private static final String PLAIN = "/-_.~";

    private FreshConnections() {}

    /**
     * Opens a database that exists. In this process such a connection shares the -shm of the others by the main file's
     * inode, while it opens the -wal by name: it is no second opinion while the process is stranded.
     *
     * @throws SQLException CANTOPEN when there is no file
     */
    public static Connection open(Path file) throws SQLException {
        // Only what differs from SQLite's own defaults: one of these connections stays open for each database.
        Properties properties = new Properties();
        properties.setProperty(SQLiteConfig.Pragma.OPEN_MODE.pragmaName, READ_ONLY);
        properties.setProperty(SQLiteConfig.Pragma.BUSY_TIMEOUT.pragmaName, BUSY_TIMEOUT_MILLIS);
        return JDBC.createConnection("jdbc:sqlite:" + uri(file), properties);
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

    /** The file as SQLite's URI, with every byte escaped that could mean something in one. */
    static String uri(Path file) {
        StringBuilder uri = new StringBuilder("file:");
        for (byte each : file.toString().getBytes(StandardCharsets.UTF_8)) {
            char plain = (char) (each & 0xff);
            if (each > 0 && (Character.isLetterOrDigit(plain) || PLAIN.indexOf(plain) >= 0)) {
                uri.append(plain);
            } else {
                uri.append('%').append(String.format("%02X", each & 0xff));
            }
        }
        return uri.append("?mode=ro").toString();
    }
}
