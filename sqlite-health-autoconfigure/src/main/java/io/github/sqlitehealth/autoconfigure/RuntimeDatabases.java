package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.SqliteDatabases;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Passes what is added on to the discovery, under a name that is checked. */
final class RuntimeDatabases implements SqliteDatabases {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private final DataSourceDiscovery discovery;
    private final Monitor monitor;

    RuntimeDatabases(DataSourceDiscovery discovery, Monitor monitor) {
        this.discovery = discovery;
        this.monitor = monitor;
    }

    @Override
    public void add(String name, DataSource dataSource) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(dataSource, () -> "the DataSource of the database \"" + name + "\"");
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

    @Override
    public boolean remove(String name) {
        boolean known = discovery.remove(name);
        return monitor.remove(name) || known;
    }
}
