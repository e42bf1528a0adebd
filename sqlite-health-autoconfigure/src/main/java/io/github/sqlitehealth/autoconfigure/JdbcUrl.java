package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** What can be known of a {@code DataSource} without asking it for a connection, which might create a database. */
final class JdbcUrl {

    private static final ClassLoader LOADER = JdbcUrl.class.getClassLoader();
    private static final boolean UNWRAPPER =
            ClassUtils.isPresent("org.springframework.boot.jdbc.DataSourceUnwrapper", LOADER);
    private static final boolean DELEGATING =
            ClassUtils.isPresent("org.springframework.jdbc.datasource.DelegatingDataSource", LOADER);
    private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", LOADER);

    private JdbcUrl() {}

    /** The URL of a {@code DataSource} that has one, under whatever wrappers; {@code null} when there is none to be seen. */
    static @Nullable String of(DataSource dataSource) {
        DataSource target = target(dataSource);
        String url = property(target);
        if (url == null && HIKARI) {
            DataSource inner = Hikari.inner(target);
            return inner == null ? null : of(inner);
        }
        return url;
    }

    /** The HikariCP pool behind a {@code DataSource}; {@code null} when there is none. */
    static @Nullable Object hikari(DataSource dataSource) {
        return HIKARI ? Hikari.unwrap(dataSource) : null;
    }

    private static DataSource target(DataSource dataSource) {
        Object pool = hikari(dataSource);
        if (pool instanceof DataSource found) {
            return found;
        }
        DataSource target = dataSource;
        while (DELEGATING && Delegating.target(target) != null) {
            DataSource next = Delegating.target(target);
            target = next == null ? target : next;
        }
        return target;
    }

    private static @Nullable String property(DataSource dataSource) {
        BeanWrapper wrapper = PropertyAccessorFactory.forBeanPropertyAccess(dataSource);
        for (String name : new String[] {"jdbcUrl", "url", "URL"}) {
            try {
                if (wrapper.isReadableProperty(name)
                        && wrapper.getPropertyValue(name) instanceof String url
                        && StringUtils.hasText(url)) {
                    return url;
                }
            } catch (BeansException ex) {
                // It has no such property, whatever it said.
                continue;
            }
        }
        return null;
    }

    private static final class Delegating {

        static @Nullable DataSource target(DataSource dataSource) {
            return dataSource instanceof DelegatingDataSource delegating ? delegating.getTargetDataSource() : null;
        }
    }

    private static final class Hikari {

        static @Nullable HikariDataSource unwrap(DataSource dataSource) {
            if (UNWRAPPER) {
                return Boot.unwrap(dataSource);
            }
            try {
                return dataSource.isWrapperFor(HikariDataSource.class)
                        ? dataSource.unwrap(HikariDataSource.class)
                        : null;
            } catch (SQLException | RuntimeException ex) {
                return null;
            }
        }

        static @Nullable DataSource inner(DataSource dataSource) {
            return dataSource instanceof HikariDataSource pool ? pool.getDataSource() : null;
        }
    }

    private static final class Boot {

        static @Nullable HikariDataSource unwrap(DataSource dataSource) {
            return DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
        }
    }
}
