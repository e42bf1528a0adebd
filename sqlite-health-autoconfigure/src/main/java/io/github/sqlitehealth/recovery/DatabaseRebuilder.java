package io.github.sqlitehealth.recovery;

import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Fills a database that can be derived from something simpler, such as an index of files. An application that publishes a
 * bean of this type lets a damaged, emptied or missing database be moved aside and rebuilt at the start, before anything
 * else uses it. Never published for a database that holds what nothing else holds.
 */
public interface DatabaseRebuilder {

    /** The name of the database: that of its {@code DataSource} bean. */
    String database();

    /**
     * Creates the schema and all rows in a database that is empty. Called by the thread that starts the application,
     * before the {@code DataSource} is given to anybody else; when it returns, all must be committed.
     *
     * @param dataSource of the database
     * @throws SQLException when it fails, which fails the start; the next start begins anew
     */
    void rebuild(DataSource dataSource) throws SQLException;
}
