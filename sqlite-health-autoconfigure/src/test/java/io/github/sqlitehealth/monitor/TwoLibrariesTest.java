package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.os.MappedFiles;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.sqlite.SQLiteConnection;

/** A second copy of the driver, in a class loader of its own. All tests of this JVM would see it, so it runs alone. */
@Isolated
@Timeout(120)
class TwoLibrariesTest {

    @TempDir
    Path folder;

    @Test
    void aSecondCopyOfTheDriver() throws Exception {
        try (HazardRig rig = new HazardRig(folder.toRealPath().resolve("app.db"))) {
            rig.noHazards();
            useSecondCopy(rig);
            // The library goes when its class loader is collected.
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                System.gc();
                return copies() == 1;
            });
            rig.goes(HazardKind.TWO_SQLITE_LIBRARIES);
        }
    }

    private void useSecondCopy(HazardRig rig) throws Exception {
        URL driver =
                SQLiteConnection.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {driver}, ClassLoader.getPlatformClassLoader())) {
            // Not through the DriverManager, which would keep the class loader for ever.
            Class<?> type = loader.loadClass("org.sqlite.jdbc4.JDBC4Connection");
            String file = folder.resolve("other.db").toString();
            try (Connection connection = (Connection) type.getConstructor(String.class, String.class, Properties.class)
                            .newInstance("jdbc:sqlite:" + file, file, new Properties());
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT sqlite_version()")) {
                assertThat(rows.next()).isTrue();
                assertThat(rig.appears(HazardKind.TWO_SQLITE_LIBRARIES))
                        .startsWith("2 SQLite libraries are loaded")
                        .containsPattern("sqlite-[^,]*libsqlitejdbc.so, .*sqlite-[^,]*libsqlitejdbc.so");
            }
        }
    }

    private static int copies() throws Exception {
        return new MappedFiles()
                .named(name -> name.endsWith("libsqlitejdbc.so"))
                .size();
    }
}
