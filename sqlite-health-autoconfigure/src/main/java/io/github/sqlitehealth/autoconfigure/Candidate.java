package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.monitor.Database;
import io.github.sqlitehealth.witness.DataSourceHandles;
import io.github.sqlitehealth.witness.HikariErrors;
import io.github.sqlitehealth.witness.HikariHandles;
import io.github.sqlitehealth.witness.LiveHandle;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.StatementErrors;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A {@code DataSource} of which it is to be found out whether it leads to an SQLite file. */
final class Candidate {

    private final String name;
    private final DataSource dataSource;
    private final Timepiece time;
    private final Predicate<Path> created;

    /** There was no file when it was looked for. */
    private volatile boolean firstStart;

    /** @param created whether a file was not there before the application began */
    Candidate(String name, DataSource dataSource, Predicate<Path> created, Timepiece time) {
        this.name = name;
        this.dataSource = dataSource;
        this.created = created;
        this.time = time;
    }

    String name() {
        return name;
    }

    /** Whether it may be an SQLite file, as far as can be told without a connection. */
    static boolean mayBeWatched(DataSource dataSource) {
        String url = JdbcUrl.of(dataSource);
        return url == null || (JdbcUrl.isSqlite(url) && !JdbcUrl.isInMemory(url));
    }

    /** Looks for the file; never creates it, and never waits for a pool. */
    Result look() {
        try {
            return look(JdbcUrl.of(dataSource));
        } catch (RuntimeException | LinkageError ex) {
            // One that fails keeps nobody from the others.
            return Result.later("Its file is not known yet: " + ex);
        }
    }

    private Result look(@Nullable String url) {
        if (url != null && !JdbcUrl.isSqlite(url)) {
            return Result.never("It is not an SQLite database.");
        }
        try {
            Sighting sighting = sight(url);
            if (sighting == null) {
                return Result.later("Its file is not known yet: the pool has not been used.");
            }
            if (!sighting.sqlite()) {
                return Result.never("It is not an SQLite database.");
            }
            Path file = sighting.file();
            return file == null
                    ? Result.never("It is a database in memory, which leaves no file to watch.")
                    : new Result(
                            new Database(
                                    name,
                                    file,
                                    firstStart || created.test(file),
                                    sighting.version(),
                                    errors(),
                                    grow -> handles(file, grow)),
                            null,
                            true);
        } catch (SQLException ex) {
            firstStart |= Sighting.isCantOpen(ex);
            return Result.later(
                    Sighting.isCantOpen(ex)
                            ? "There is no file yet; the monitor waits for the application to create it."
                            : "Its file is not known yet: " + ex.getMessage());
        }
    }

    private @Nullable Sighting sight(@Nullable String url) throws SQLException {
        Object pool = JdbcUrl.hikari(dataSource);
        if (pool != null) {
            Sighting pooled = Pooled.sight(pool);
            if (pooled != null || url == null) {
                return pooled;
            }
        }
        if (url != null) {
            return Sighting.of(url);
        }
        Connection connection = dataSource.getConnection();
        try {
            return Sighting.of(connection);
        } finally {
            if (Wrappers.toBeClosed(dataSource, connection)) {
                connection.close();
            }
        }
    }

    private @Nullable StatementErrors errors() {
        Object pool = JdbcUrl.hikari(dataSource);
        return pool == null ? null : Pooled.errors(pool, time);
    }

    private LiveHandles handles(Path file, BooleanSupplier mayGrow) {
        Object pool = JdbcUrl.hikari(dataSource);
        return pool == null
                ? anyHandles(file, mayGrow)
                : Pooled.handles(pool, mayGrow, () -> anyHandles(file, mayGrow));
    }

    private LiveHandles anyHandles(Path file, BooleanSupplier mayOpen) {
        return new DataSourceHandles(
                dataSource, file, mayOpen, connection -> Wrappers.toBeClosed(dataSource, connection));
    }

    /** Apart from the rest, since HikariCP may be absent. */
    private static final class Pooled {

        static @Nullable Sighting sight(Object pool) throws SQLException {
            LiveHandles handles = new HikariHandles((HikariDataSource) pool, () -> true);
            try (LiveHandle handle = handles.take(Set.of())) {
                return handle == null ? null : Sighting.of(handle.connection());
            }
        }

        static @Nullable StatementErrors errors(Object pool, Timepiece time) {
            return HikariErrors.of((HikariDataSource) pool, time);
        }

        static LiveHandles handles(Object pool, BooleanSupplier mayGrow, Supplier<LiveHandles> otherwise) {
            return HikariHandles.works() ? new HikariHandles((HikariDataSource) pool, mayGrow) : otherwise.get();
        }
    }

    /**
     * What a look gave.
     *
     * @param database the database, when there is one
     * @param why why there is none, otherwise
     * @param known whether the answer is final
     */
    record Result(@Nullable Database database, @Nullable String why, boolean known) {

        static Result never(String why) {
            return new Result(null, why, true);
        }

        static Result later(String why) {
            return new Result(null, why, false);
        }
    }
}
