package io.github.sqlitehealth.it;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Databases to be watched. */
public final class Db {

    private Db() {}

    /** A database in WAL mode with a table {@code t} of a hundred rows, closed. */
    public static Path wal(Path file) throws SQLException {
        return create(file, "PRAGMA journal_mode=WAL");
    }

    /** A database with a rollback journal, with a table {@code t} of a hundred rows, closed. */
    public static Path rollback(Path file) throws SQLException {
        return create(file, "PRAGMA journal_mode=DELETE");
    }

    private static Path create(Path file, String mode) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(file));
                Statement statement = connection.createStatement()) {
            statement.execute(mode);
            statement.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)");
            statement.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
                    + " INSERT INTO t(body) SELECT hex(randomblob(100)) FROM n");
        }
        return file;
    }

    public static String url(Path file) {
        return "jdbc:sqlite:" + file;
    }

    /** A pool with no more connections than these, which does not wait long for one. */
    public static HikariDataSource pool(Path file, int size) {
        return pool(url(file), size);
    }

    /** The same for any URL. It opens no connection before it is asked for one. */
    public static HikariDataSource pool(String url, int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(size);
        pool.setConnectionTimeout(5_000);
        return pool;
    }

    /** Does something through the application's own way to its database. */
    public static void execute(DataSource dataSource, String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }
}
