package io.github.sqlitehealth.recovery;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What to copy out of a process that still runs.
 *
 * @param pid its number
 * @param database the main file as that process knows it; absent where it has only one database open
 * @param to the copy, which does not exist yet
 * @param force whether to copy though the process cannot be stopped; what it changes meanwhile is noticed
 * @param dryRun whether only to find out what would be copied
 * @param checkLimit how long the full check of the copy may take
 */
public record ProcessRescueRequest(
        long pid, @Nullable Path database, Path to, boolean force, boolean dryRun, Duration checkLimit) {}
