package io.github.sqlitehealth.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.PosixLock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Section 4 of the design: nothing that the monitor does costs the application one of its locks. */
class DoNoHarmTest {

    /** The byte of -shm on which a connection that writes holds a lock, and that of the dead man's switch. */
    private static final String WRITE_LOCK = "shm WRITE 120-120";

    private static final String SWITCH = "shm READ 128-128";

    /** What every connection that has read holds on the main file in WAL mode. */
    private static final String SHARED = "main READ 1073741826-1073742335";

    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void database() throws Exception {
        assumeTrue(new OwnDescriptors().readable(), "this system has no /proc, so locks cannot be seen");
        file = Db.wal(temporary.toRealPath().resolve("app.db"));
    }

    @Test
    void theLocksOfAnOpenTransactionAreTheSameAfterEverythingThatTheMonitorCanDo() throws Exception {
        try (ConfigurableApplicationContext app = Apps.web(
                        Apps.Ordinary.class,
                        "spring.datasource.url=" + Db.url(file),
                        "spring.datasource.hikari.maximum-pool-size=3",
                        "sqlite.health.identity-watch.interval=10ms",
                        "sqlite.health.quick-check.interval=1h",
                        "management.endpoint.sqliteforensics.access=unrestricted");
                Connection connection = app.getBean(DataSource.class).getConnection();
                Statement statement = connection.createStatement()) {
            WatchedDatabase database = Apps.checked(app, "dataSource");
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO t(body) VALUES ('in the middle')");
            Set<String> before = locks();
            assertThat(before).contains(WRITE_LOCK, SWITCH, SHARED);

            for (int i = 0; i < 3; i++) {
                database.check(Check.QUICK).get(20, TimeUnit.SECONDS);
                assertThat(locks()).contains(WRITE_LOCK, SWITCH, SHARED);
                database.check(Check.FULL).get(20, TimeUnit.SECONDS);
                assertThat(locks()).contains(WRITE_LOCK, SWITCH, SHARED);
            }
            String endpoint = "/actuator/sqliteforensics/dataSource";
            for (String body : new String[] {"{}", "{\"check\":\"full\"}", "{\"accept\":\"EMPTIED\"}"}) {
                assertThat(Http.post(app, endpoint, body).status()).isEqualTo(200);
                assertThat(locks()).contains(WRITE_LOCK, SWITCH, SHARED);
            }
            String id = Http.get(app, endpoint).json().at("/snapshots/0/id").asString();
            assertThat(Http.get(app, endpoint + "/" + id).status()).isEqualTo(200);
            assertThat(Http.get(app, "/actuator/sqliteforensics").status()).isEqualTo(200);
            assertThat(Http.get(app, "/actuator/prometheus").status()).isEqualTo(200);
            for (int i = 0; i < 100; i++) {
                Apps.indicator(app).health();
            }
            assertThat(Http.get(app, "/actuator/health").status()).isEqualTo(200);
            ticks(database, 30);
            // A change of the files makes the watch read descriptors and not only ask for the times.
            Db.execute(app.getBean(DataSource.class), "SELECT count(*) FROM t");
            Files.createFile(file.resolveSibling("app.db-journal"));
            ticks(database, 5);

            // A connection that went back may take a moment to let go of what it read.
            await().atMost(java.time.Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(locks()).isEqualTo(before));
            connection.commit();
        }
    }

    @Test
    void thisIsWhatMustNotHappen() throws Exception {
        try (HikariDataSource pool = Db.pool(file, 2);
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO t(body) VALUES ('in the middle')");
            assertThat(locks()).contains(WRITE_LOCK, SWITCH, SHARED);

            FileChannel.open(file).close();

            assertThat(locks()).contains(WRITE_LOCK, SWITCH).doesNotContain(SHARED);
            FileChannel.open(DatabaseFile.SHM.beside(file)).close();
            assertThat(locks()).isEmpty();
        }
    }

    private static void ticks(WatchedDatabase database, int count) {
        for (int i = 0; i < count; i++) {
            Instant last = database.state().ticks().get(Check.IDENTITY).at();
            await().until(() ->
                    database.state().ticks().get(Check.IDENTITY).at().isAfter(last));
        }
    }

    /** Every lock of this process on main and -shm, as the system tells it. */
    private Set<String> locks() throws IOException {
        Map<Object, String> files = new TreeMap<>(java.util.Comparator.comparing(Object::toString));
        for (DatabaseFile each : new DatabaseFile[] {DatabaseFile.MAIN, DatabaseFile.SHM}) {
            FileFacts facts = FileFacts.of(each.beside(file));
            files.put(facts.id(), each.key());
        }
        OwnDescriptors own = new OwnDescriptors();
        Set<String> locks = new TreeSet<>();
        for (Descriptor descriptor : own.held()) {
            String name = files.get(descriptor.id());
            if (name != null) {
                for (PosixLock lock : own.locks(descriptor.fd())) {
                    locks.add(name + " " + lock.type() + " " + lock.start() + "-" + lock.end());
                }
            }
        }
        return locks;
    }
}
