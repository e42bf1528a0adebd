package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.StatementErrors;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One SQLite file that a {@code DataSource} of the application uses.
 *
 * @param name that of the {@code DataSource} bean
 * @param file the main file, absolute, without symbolic links
 * @param firstStart whether there was no such file when the application began: nothing can be missing yet
 * @param sqliteVersion of the library behind the connections
 * @param errors those of its statements, absent when they cannot be seen
 * @param handles gives the application's connections, when told whether a new connection of a pool would work
 */
public record Database(
        String name,
        Path file,
        boolean firstStart,
        String sqliteVersion,
        @Nullable StatementErrors errors,
        Function<BooleanSupplier, LiveHandles> handles) {}
