package io.github.sqlitehealth.sample;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The pool of connections to the one database file. {@code spring.datasource.hikari.*} tunes it as in any application. */
@Configuration(proxyBeanMethods = false)
class GatewayDatabase {

    @Bean
    @ConfigurationProperties("spring.datasource.hikari")
    HikariDataSource dataSource(@Value("${gateway.database}") String file) throws IOException {
        // Not a Path parameter: Spring's PathEditor would look for a class path resource of that name first.
        Path database = Path.of(file);
        createFolder(database.toAbsolutePath().getParent());
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url(database));
        // Not connection-init-sql: of several statements in it the driver runs only the first.
        pool.addDataSourceProperty("busy_timeout", "5000");
        pool.addDataSourceProperty("journal_mode", "WAL");
        // An acknowledged message must survive a power cut, which NORMAL does not promise in WAL mode.
        pool.addDataSourceProperty("synchronous", "FULL");
        return pool;
    }

    /**
     * The file as a URI, because the driver takes everything behind a {@code ?} of a plain file name for parameters, and
     * SQLite itself decodes {@code %} and cuts at {@code #}. A {@code Path} escapes all of them.
     */
    private static String url(Path database) {
        return "jdbc:sqlite:file:" + database.toUri().getRawPath();
    }

    /** {@code createDirectories} alone refuses a folder that is a symbolic link (JDK-8294193). */
    private static void createFolder(@Nullable Path folder) throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder);
        }
    }
}
