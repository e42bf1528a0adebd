package io.github.sqlitehealth.witness;

import java.time.Duration;

/**
 * How long the application's own connections may be used for a check.
 *
 * @param timeout for one check on a connection that is not missed
 * @param budget for a connection that is the last one, such as that of a pool of one
 * @param turns for all connections of one check together
 * @param retries how often a failed read is done again at once
 */
public record ReadLimits(Duration timeout, Duration budget, Duration turns, int retries) {}
