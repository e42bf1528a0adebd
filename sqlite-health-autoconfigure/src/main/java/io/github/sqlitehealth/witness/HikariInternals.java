package io.github.sqlitehealth.witness;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fields of HikariCP that have no public way to them. Where a version lacks one, what needs it is done without. */
final class HikariInternals {

    private static final Logger log = LoggerFactory.getLogger(HikariInternals.class);

    static final @Nullable Field CONNECTION = field("com.zaxxer.hikari.pool.PoolEntry", "connection");
    static final @Nullable Field BAG =
            CONNECTION == null ? null : field("com.zaxxer.hikari.pool.HikariPool", "connectionBag");
    private static final @Nullable Field OVERRIDE = field("com.zaxxer.hikari.pool.PoolBase", "exceptionOverride");

    private HikariInternals() {}

    private static @Nullable Field field(String type, String name) {
        try {
            Field field = Class.forName(type, false, HikariDataSource.class.getClassLoader())
                    .getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException | RuntimeException ex) {
            log.info(
                    "This version of HikariCP hides {}.{}, so that part is done without it: {}",
                    type,
                    name,
                    ex.toString());
            return null;
        }
    }

    static @Nullable Object read(@Nullable Field field, Object owner) {
        try {
            return field == null ? null : field.get(owner);
        } catch (IllegalAccessException ex) {
            throw new IllegalStateException("A field of HikariCP became inaccessible", ex);
        }
    }

    /** The override that a pool asks now, whether it has started or not. */
    static @Nullable SQLExceptionOverride override(HikariDataSource pool) {
        Object running = pool.getHikariPoolMXBean();
        return running == null || OVERRIDE == null
                ? pool.getExceptionOverride()
                : (SQLExceptionOverride) read(OVERRIDE, running);
    }

    /** @return whether the pool will ask it from now on */
    static boolean setOverride(HikariDataSource pool, SQLExceptionOverride override) {
        Object running = pool.getHikariPoolMXBean();
        try {
            if (running == null) {
                pool.setExceptionOverride(override);
                return true;
            }
            if (OVERRIDE != null) {
                // A pool that has started lets nobody change its configuration any more.
                OVERRIDE.set(running, override);
                return true;
            }
        } catch (IllegalAccessException | IllegalStateException ex) {
            log.debug("The override of {} cannot be set", pool.getPoolName(), ex);
        }
        return false;
    }
}
