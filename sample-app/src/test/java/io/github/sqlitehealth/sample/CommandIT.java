package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.sample.HealthCommand.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a process of its own, beside a gateway that writes all the time. */
class CommandIT {

    @TempDir
    Path folder;

    /** Every row that was acknowledged before the copy was asked for is in it, and the gateway goes on. */
    @Test
    void theRowsOfAStrandedGatewayAreRescuedWhileItWrites() throws Exception {
        try (RunningGateway gateway = RunningGateway.start(folder, "data/gateway.db")) {
            gateway.awaitHealthy();
            gateway.startWriting();
            awaitWritten(gateway, 200);
            Act.rm(gateway.sidecar("-wal"), gateway.sidecar("-shm"));
            gateway.awaitVerdict("STRANDED", Duration.ofSeconds(10));
            awaitWritten(gateway, 400);

            String locks = locks(gateway.pid());
            Map<Long, String> before = gateway.acknowledged();
            Ended rescue = HealthCommand.fromTheFatJar(folder, "rescue", "--pid=" + gateway.pid(), "--to=rescue.db");
            int since = gateway.acknowledged().size();

            assertThat(rescue.code()).as(rescue.toString()).isZero();
            assertThat(rescue.err()).isEmpty();
            assertThat(rescue.out())
                    .startsWith(folder.resolve("rescue.db") + " is a copy of ")
                    .contains("stood still");
            assertThat(mainLocks(locks)).isNotEmpty().isEqualTo(mainLocks(locks(gateway.pid())));
            awaitWritten(gateway, since + 50);
            gateway.kill();
            Map<Long, String> copied = messages(folder.resolve("rescue.db"));
            assertThat(copied).containsAllEntriesOf(before);
            assertThat(Act.sqlite3(folder.resolve("rescue.db"), "pragma integrity_check"))
                    .isEqualTo("ok\n");
            System.out.println("Rescued " + copied.size() + " rows, " + before.size()
                    + " of which had been acknowledged when it was asked for; " + rescue.out());
        }
    }

    @Test
    void aGatewayThatIsNotStrandedIsCopiedAndBackedUpWhileItWrites() throws Exception {
        try (RunningGateway gateway =
                RunningGateway.start(folder, "data/gateway.db", "--sqlite.health.enabled=false")) {
            gateway.startWriting();
            awaitWritten(gateway, 100);
            Map<Long, String> before = gateway.acknowledged();

            Ended rescue = HealthCommand.fromTheFatJar(
                    folder, "rescue", "--pid=" + gateway.pid(), "--to=rescue.db", "--database=data/gateway.db");
            assertThat(rescue.code()).as(rescue.toString()).isZero();
            Ended backup = HealthCommand.fromTheFatJar(folder, "backup", "--database=data/gateway.db");
            assertThat(backup.code()).as(backup.toString()).isZero();
            Ended restore = HealthCommand.fromTheFatJar(
                    folder, "restore", "--database=data/gateway.db", "--from=latest", "--force");
            assertThat(restore.code()).isEqualTo(1);
            assertThat(restore.err())
                    .contains("is held by process " + gateway.pid() + " (java)")
                    .hasLineCount(1);

            assertThat(messages(folder.resolve("rescue.db"))).containsAllEntriesOf(before);
            Path copy = Path.of(backup.out().substring(0, backup.out().indexOf(".db:") + 3));
            assertThat(copy.getFileName().toString()).startsWith("dataSource-");
            assertThat(messages(copy)).containsAllEntriesOf(before);
            Map<Long, String> acknowledged = gateway.stopWriting();
            gateway.terminate();
            assertThat(messages(gateway.database())).containsAllEntriesOf(acknowledged);
        }
    }

    @Test
    void theLibrarysJarIsEnoughWithThoseItNeeds() throws Exception {
        Act.sqlite3(folder.resolve("a.db"), "create table t (x)");
        Ended check = HealthCommand.fromJars(
                folder,
                List.of(
                        "sqlite-health-autoconfigure-",
                        "sqlite-jdbc-",
                        "jackson-",
                        "spring-boot-4",
                        "spring-core-",
                        "slf4j-api-",
                        "commons-logging-"),
                "check",
                "--database=a.db");
        assertThat(check.code()).as(check.toString()).isZero();
        assertThat(check.out()).contains("a.db is sound");
        assertThat(check.err()).isEmpty();

        Files.list(folder.resolve("lib"))
                .filter(jar -> jar.getFileName().toString().startsWith("sqlite-jdbc-"))
                .forEach(jar -> jar.toFile().delete());
        Ended without = HealthCommand.fromJars(folder, List.of(), "check", "--database=a.db");
        assertThat(without.code()).isEqualTo(3);
        assertThat(without.err())
                .contains("A library is missing on the class path (org/sqlite/")
                .hasLineCount(1);
    }

    private static void awaitWritten(RunningGateway gateway, int messages) {
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> gateway.acknowledged().size() >= messages);
    }

    private static String locks(long pid) throws IOException {
        StringBuilder locks = new StringBuilder();
        try (var files = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "fdinfo"))) {
            for (Path file : files) {
                Files.readAllLines(file).stream()
                        .filter(line -> line.startsWith("lock:"))
                        .forEach(line -> locks.append(line).append('\n'));
            }
        }
        return locks.toString();
    }

    /** Those that a connection holds for as long as it is open; others come and go with each transaction. */
    private static Set<String> mainLocks(String locks) {
        return locks.lines()
                .filter(line -> line.contains(" READ ")
                        && (line.endsWith(" 1073741826 1073742335") || line.endsWith(" 128 128")))
                .map(line -> line.substring(line.indexOf("POSIX")))
                .collect(Collectors.toSet());
    }

    private static Map<Long, String> messages(Path database) {
        return Act.sqlite3(database, "select id || '=' || body from messages")
                .lines()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(row -> Long.valueOf(row[0]), row -> row[1]));
    }
}
