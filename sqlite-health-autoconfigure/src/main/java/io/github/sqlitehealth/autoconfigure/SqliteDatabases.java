package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.monitor.Monitor;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Databases that come and go while the application runs, such as one for each tenant. Health, metrics and endpoint
 * follow. Thread-safe. {@code DataSource} beans need not be added: they are found.
 */
public final class SqliteDatabases {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private final DataSourceDiscovery discovery;
    private final Monitor monitor;

    SqliteDatabases(DataSourceDiscovery discovery, Monitor monitor) {
        this.discovery = discovery;
        this.monitor = monitor;
    }

    /**
     * Watches a database from now on. Its file may come later; it is never created by the monitor.
     *
     * @param name for health, metrics and endpoint: a letter or digit, then up to 99 letters, digits, dots, dashes and
     *     underscores
     * @throws IllegalArgumentException when the name is taken or not of that form
     */
    public void add(String name, DataSource dataSource) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The database name \"" + name
                            + "\" must begin with a letter or digit and go on with at most 99 letters, digits, '.', '-' or '_'.");
        }
        if (!discovery.add(name, dataSource)) {
            throw new IllegalArgumentException(
                    "The database name \"" + name + "\" is taken; remove the other one first or choose another name.");
        }
        monitor.discoverSoon();
    }

    /**
     * Watches a database no longer. When this returns the monitor holds nothing of it open, so that the
     * {@code DataSource} can be closed and the file moved.
     *
     * @return whether there was one of this name
     */
    public boolean remove(String name) {
        boolean known = discovery.remove(name);
        return monitor.remove(name) || known;
    }
}
