package io.github.sqlitehealth.witness;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/** A way to open a database of one's own, such as those of {@link FreshConnections}. */
@FunctionalInterface
interface Opening {

    Connection open(Path file) throws SQLException;
}
