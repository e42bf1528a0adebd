package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.sqlite.SQLiteDataSource;

/**
 * What stands behind the wrappers of a {@code DataSource}. To ask for a connection would tell, too, but it would create
 * a database that is not there.
 */
final class Wrappers {

    private static final int DEEPEST = 10;

    private static final boolean SPRING_JDBC = isPresent("org.springframework.jdbc.datasource.DelegatingDataSource");
    private static final boolean HIKARI = isPresent("com.zaxxer.hikari.HikariDataSource");

    private Wrappers() {}

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Wrappers.class.getClassLoader());
    }

    /** The last one that can be seen: a pool, a routing one, or one that has a URL. */
    static DataSource innermost(DataSource dataSource) {
        DataSource current = dataSource;
        for (int depth = 0; depth < DEEPEST; depth++) {
            DataSource next = next(current);
            if (next == null || next == current) {
                return current;
            }
            current = next;
        }
        return current;
    }

    private static @Nullable DataSource next(DataSource dataSource) {
        if (AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target) {
            return target;
        }
        if (SPRING_JDBC && SpringJdbc.isDelegating(dataSource)) {
            return SpringJdbc.target(dataSource);
        }
        if (pool(dataSource) != null || routes(dataSource) != null || JdbcUrl.property(dataSource) != null) {
            return null;
        }
        DataSource told = HIKARI ? told(dataSource, Hikari.type()) : null;
        told = told != null ? told : told(dataSource, SQLiteDataSource.class);
        return told != null ? told : onlyField(dataSource);
    }

    private static @Nullable DataSource told(DataSource dataSource, Class<? extends DataSource> type) {
        try {
            return dataSource.isWrapperFor(type) ? dataSource.unwrap(type) : null;
        } catch (SQLException | RuntimeException ex) {
            // It does not know, which is what many of them say in this way.
            return null;
        }
    }

    /** A wrapper of the application need not tell anybody what it wraps. */
    private static @Nullable DataSource onlyField(DataSource dataSource) {
        Set<DataSource> found = new HashSet<>();
        try {
            ReflectionUtils.doWithFields(
                    dataSource.getClass(),
                    field -> {
                        ReflectionUtils.makeAccessible(field);
                        if (field.get(dataSource) instanceof DataSource inner) {
                            found.add(inner);
                        }
                    },
                    field -> DataSource.class.isAssignableFrom(field.getType()));
        } catch (RuntimeException ex) {
            return null;
        }
        return found.size() == 1 ? found.iterator().next() : null;
    }

    /** The pool of HikariCP that this is; {@code null} when it is none. */
    static @Nullable Object pool(DataSource dataSource) {
        return HIKARI && Hikari.type().isInstance(dataSource) ? dataSource : null;
    }

    /** Where a routing one leads to, by key; {@code null} when it does not route. */
    static @Nullable Map<Object, DataSource> routes(DataSource dataSource) {
        return SPRING_JDBC ? SpringJdbc.routes(dataSource) : null;
    }

    /** Where a routing one leads to when no key fits. */
    static @Nullable DataSource defaultRoute(DataSource dataSource) {
        return SPRING_JDBC ? SpringJdbc.defaultRoute(dataSource) : null;
    }

    /** Whether whoever was given this connection has to close it: the only one of a {@code DataSource} is the application's. */
    static boolean toBeClosed(DataSource dataSource, Connection connection) {
        return !SPRING_JDBC || SpringJdbc.shouldClose(dataSource, connection);
    }

    /** Apart from the rest, since spring-jdbc may be absent. */
    private static final class SpringJdbc {

        static boolean isDelegating(DataSource dataSource) {
            return dataSource instanceof DelegatingDataSource;
        }

        static @Nullable DataSource target(DataSource dataSource) {
            return ((DelegatingDataSource) dataSource).getTargetDataSource();
        }

        static @Nullable Map<Object, DataSource> routes(DataSource dataSource) {
            return dataSource instanceof AbstractRoutingDataSource routing ? routing.getResolvedDataSources() : null;
        }

        static @Nullable DataSource defaultRoute(DataSource dataSource) {
            return dataSource instanceof AbstractRoutingDataSource routing
                    ? routing.getResolvedDefaultDataSource()
                    : null;
        }

        static boolean shouldClose(DataSource dataSource, Connection connection) {
            return !(dataSource instanceof SmartDataSource smart) || smart.shouldClose(connection);
        }
    }

    /** Apart from the rest, since HikariCP may be absent. */
    private static final class Hikari {

        static Class<? extends DataSource> type() {
            return HikariDataSource.class;
        }
    }
}
