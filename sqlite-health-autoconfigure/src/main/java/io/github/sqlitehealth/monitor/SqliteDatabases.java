package io.github.sqlitehealth.monitor;

import javax.sql.DataSource;

/**
 * Databases that come and go while the application runs, such as one for each tenant. Health, metrics and endpoint
 * follow. Thread-safe. {@code DataSource} beans need not be added: they are found.
 */
public interface SqliteDatabases {

    /**
     * Watches a database from now on. Its file may come later; it is never created by the monitor.
     *
     * @param name for health, metrics and endpoint: a letter or digit, then up to 99 letters, digits, dots, dashes and
     *     underscores
     * @throws IllegalArgumentException when the name is taken or not of that form
     */
    void add(String name, DataSource dataSource);

    /**
     * Watches a database no longer. When this returns the monitor holds nothing of it open, so that the
     * {@code DataSource} can be closed and the file moved.
     *
     * @return whether there was one of this name
     */
    boolean remove(String name);
}
