package io.github.sqlitehealth.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeansException;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.util.StringUtils;
import org.sqlite.SQLiteConfig;

/** What can be known of a {@code DataSource} without asking it for a connection, which might create a database. */
final class JdbcUrl {

    private static final String PREFIX = "jdbc:sqlite:";
    private static final String[] PROPERTIES = {"jdbcUrl", "url", "URL"};

    private JdbcUrl() {}

    /** The URL of a {@code DataSource} that has one, under whatever wrappers; {@code null} when there is none to be seen. */
    static @Nullable String of(DataSource dataSource) {
        DataSource target = Wrappers.innermost(dataSource);
        String url = property(target);
        return url == null && Wrappers.pool(target) != null ? Hikari.url(target) : url;
    }

    /** The HikariCP pool behind a {@code DataSource}; {@code null} when there is none. */
    static @Nullable Object hikari(DataSource dataSource) {
        return Wrappers.pool(Wrappers.innermost(dataSource));
    }

    static boolean isSqlite(String url) {
        return url.startsWith(PREFIX);
    }

    /** Whether the URL, as the driver and SQLite read it, leads to no file for certain. */
    static boolean isInMemory(String url) {
        String name = isSqlite(url) ? url.substring(PREFIX.length()) : url;
        if (name.startsWith("file:")) {
            return name.startsWith("file::memory:") || name.contains("mode=memory");
        }
        // What is not a pragma is part of the name: ":memory:?cache=shared" is a file.
        int query = name.indexOf('?');
        boolean pragmasOnly =
                query < 0 || Arrays.stream(name.substring(query + 1).split("&")).allMatch(JdbcUrl::isPragma);
        String path = query < 0 ? name : name.substring(0, query);
        return pragmasOnly && (path.isEmpty() || path.equals(":memory:"));
    }

    /**
     * The file of a URL, for a database that is not there and so cannot be asked where it is; {@code null} when the URL
     * names none.
     */
    static @Nullable Path file(String url) {
        if (!isSqlite(url) || isInMemory(url) || url.startsWith(PREFIX + ":resource:")) {
            return null;
        }
        String name = url.substring(PREFIX.length());
        int query = name.indexOf('?');
        String path = query < 0 ? name : name.substring(0, query);
        if (path.startsWith("file:")) {
            // Not a URLDecoder: that takes a plus for a space.
            path = StringUtils.uriDecode(path.substring("file:".length()), StandardCharsets.UTF_8)
                    .replaceFirst("^//[^/]*", "");
        }
        Path file = Path.of(path).toAbsolutePath().normalize();
        Path directory = file.getParent();
        try {
            // SQLite resolves links, and so do all who name the file in their memory.
            return directory == null ? file : directory.toRealPath().resolve(file.getFileName());
        } catch (IOException ex) {
            return file;
        }
    }

    private static boolean isPragma(String parameter) {
        String key = parameter.replaceAll("=.*", "").strip();
        return Arrays.stream(SQLiteConfig.Pragma.values()).anyMatch(pragma -> pragma.pragmaName.equalsIgnoreCase(key));
    }

    /** The URL that is a property of this very object. */
    static @Nullable String property(DataSource dataSource) {
        BeanWrapper wrapper = PropertyAccessorFactory.forBeanPropertyAccess(dataSource);
        for (String name : PROPERTIES) {
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

    /** Apart from the rest, since HikariCP may be absent. */
    private static final class Hikari {

        static @Nullable String url(DataSource dataSource) {
            HikariDataSource pool = (HikariDataSource) dataSource;
            DataSource inner = pool.getDataSource();
            if (inner != null) {
                return of(inner);
            }
            // It has only been told of which class its own DataSource will be.
            Properties properties = pool.getDataSourceProperties();
            for (String name : PROPERTIES) {
                if (properties.get(name) instanceof String url) {
                    return url;
                }
            }
            return null;
        }
    }
}
