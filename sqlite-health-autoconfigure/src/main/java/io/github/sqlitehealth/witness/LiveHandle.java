package io.github.sqlitehealth.witness;

import java.sql.Connection;

/**
 * One of the application's own connections, lent to the monitor for one question. It is given back as it came.
 *
 * @param name tells one connection of a pool from another for as long as it lives
 * @param connection the connection; not to be closed
 * @param schema under which the connection knows the database: {@code main}, or the name of an attached one
 * @param spare whether the application can still get another one meanwhile
 * @param giveBack returns it to its owner
 */
public record LiveHandle(String name, Connection connection, String schema, boolean spare, Runnable giveBack)
        implements AutoCloseable {

    /** A connection to the database that it was opened on. */
    public LiveHandle(String name, Connection connection, boolean spare, Runnable giveBack) {
        this(name, connection, HandleFacts.MAIN, spare, giveBack);
    }

    @Override
    public void close() {
        giveBack.run();
    }
}
