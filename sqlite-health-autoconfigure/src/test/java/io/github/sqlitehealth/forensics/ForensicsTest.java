package io.github.sqlitehealth.forensics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Section;
import io.github.sqlitehealth.witness.Stale;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForensicsTest {

    private static final String SECRET = "a-row-of-nobody-else";

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void aDatabase() throws Exception {
        file = Outside.database(folder.resolve("app é.db"), 3);
    }

    @Test
    @SuppressWarnings("unchecked")
    void everySectionIsThereAndTheStaleFileIsRecognisedAtItsHolder() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t(body) VALUES ('" + SECRET + "')");
            FileFacts wal = Objects.requireNonNull(FileFacts.of(DatabaseFile.WAL.beside(file)));
            Section<HandleFacts> facts = Section.of(() -> HandleFacts.of(connection));
            Files.delete(DatabaseFile.WAL.beside(file));
            Look look = new Look(
                    Map.of(),
                    List.of(new Stale(DatabaseFile.WAL, Objects.requireNonNull(wal.id()), null, false)),
                    true,
                    null);
            Map<String, Object> snapshot = take(new Holders(), look, facts);

            assertThat(snapshot)
                    .containsEntry("database", "db")
                    .containsEntry("reason", "test")
                    .containsEntry("verdict", "STRANDED")
                    .containsEntry("incident", "incident-1");
            Map<String, Map<String, Object>> files = (Map<String, Map<String, Object>>) snapshot.get("files");
            assertThat(files.get("main")).containsKeys("path", "inode", "device", "size", "links", "modified");
            assertThat(files.get("wal")).containsOnlyKeys("error");
            assertThat((Map<String, Object>) snapshot.get("walHeader")).containsOnlyKeys("error");
            assertThat((Map<String, Object>) snapshot.get("liveHandle")).containsEntry("journalMode", "wal");
            assertThat((Map<String, Object>) snapshot.get("process"))
                    .containsKeys("pid", "uptime", "sqliteVersion", "driverVersion");
            assertThat((Map<String, Object>) snapshot.get("volume")).containsKeys("type");
            List<Map<String, Object>> holders = (List<Map<String, Object>>) snapshot.get("holders");
            Map<String, Object> self = holders.stream()
                    .filter(holder -> Boolean.TRUE.equals(holder.get("self")))
                    .findFirst()
                    .orElseThrow();
            assertThat(((Number) self.get("pid")).longValue())
                    .isEqualTo(ProcessHandle.current().pid());
            assertThat((List<Map<String, Object>>) self.get("descriptors"))
                    .anySatisfy(descriptor -> assertThat(descriptor)
                            .containsEntry("file", "wal")
                            .containsEntry("stale", true)
                            .containsEntry("deleted", true));
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void theHeaderOfTheWalIsReadWhereThereIsOne() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t(body) VALUES ('" + SECRET + "')");
            Map<String, Object> snapshot = take(new Holders(), nothing(), Section.missing("not asked"));
            Map<String, Object> header = (Map<String, Object>) snapshot.get("walHeader");
            assertThat(header).containsEntry("pageSize", 4096).containsKeys("checkpointSequence", "salt1", "salt2");
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void aSectionThatFailsSaysWhyAndCostsNoOther() throws Exception {
        Path noProc = Files.createDirectory(folder.resolve("no-proc"));
        Holders blind = new Holders(noProc, folder.resolve("no-lsof").toString());
        Map<String, Object> snapshot = take(blind, nothing(), Section.failed(new SQLException("went wrong")));
        assertThat((Map<String, Object>) snapshot.get("holders")).containsOnlyKeys("error");
        assertThat((Map<String, Object>) snapshot.get("liveHandle")).containsEntry("error", "SQLException: went wrong");
        assertThat((Map<String, Object>) snapshot.get("walHeader")).containsOnlyKeys("error");
        assertThat((Map<String, Map<String, Object>>) snapshot.get("files"))
                .hasEntrySatisfying("main", main -> assertThat(main).containsKey("inode"));
        assertThat((Map<String, Object>) snapshot.get("freshHandle")).containsEntry("journalMode", "wal");
        assertThat((Map<String, Object>) snapshot.get("process")).containsKey("pid");
    }

    @Test
    void aDatabaseThatIsGoneIsNoReasonToTakeNoSnapshot() throws Exception {
        Files.delete(file);
        Map<String, Object> snapshot = take(new Holders(), nothing(), Section.missing("not asked"));
        assertThat(snapshot).containsKeys("files", "holders", "process", "volume");
    }

    @Test
    void nothingInItIsSecret() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", "exec sleep 60 < \"$1\"", "sh --password=hunter2", file.toString());
        Process other = builder.start();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO t(body) VALUES ('" + SECRET + "')");
            SQLException telling = new SQLException("cannot connect to jdbc:sqlite:/x.db?cipher_key=hunter2 now");
            String json = Files.readString(takeFile(new Holders(), nothing(), Section.failed(telling)));
            assertThat(json)
                    .contains(Long.toString(ProcessHandle.current().pid()))
                    .contains("cannot connect to jdbc:… now")
                    .doesNotContain(SECRET, "hunter2", "jdbc:sqlite", "surefire", "-cp", "java.class.path");
        } finally {
            other.destroyForcibly().onExit().join();
        }
    }

    private static Look nothing() {
        return new Look(Map.of(), List.of(), true, null);
    }

    private Map<String, Object> take(Holders holders, Look look, Section<HandleFacts> live) throws Exception {
        SnapshotStore store = store();
        snapshot(holders, look, live, store);
        return store.read(store.entries().get(0).id()).orElseThrow();
    }

    private Path takeFile(Holders holders, Look look, Section<HandleFacts> live) throws Exception {
        SnapshotStore store = store();
        snapshot(holders, look, live, store);
        return folder.resolve("forensics")
                .resolve("snapshot-" + store.entries().get(0).id() + ".json");
    }

    private SnapshotStore store() {
        return new SnapshotStore(
                new ForensicsDirectory(folder.resolve("forensics")), new Retention(10, 1 << 20), Clock.systemUTC());
    }

    private void snapshot(Holders holders, Look look, Section<HandleFacts> live, SnapshotStore store)
            throws SQLException {
        Forensics forensics = new Forensics(holders, new Volumes(), Duration.ofSeconds(2), Clock.systemUTC());
        Testimony said = new Testimony(
                Witness.LIVE,
                Check.QUICK,
                Answer.BAD,
                Reason.CORRUPT,
                "row 2 missing from index i",
                new Moment(Instant.now(), 0),
                Duration.ofMillis(3));
        Section<HandleFacts> fresh;
        // A new connection would create the sidecars that are missing.
        if (Files.exists(file) && look.stale().isEmpty()) {
            try (Connection connection = FreshConnections.open(file)) {
                fresh = Section.of(() -> HandleFacts.of(connection));
            }
        } else {
            fresh = Section.missing("not asked");
        }
        forensics.snapshot(
                new Occasion(
                        "db",
                        file,
                        "test",
                        Verdict.STRANDED,
                        "incident-1",
                        List.of(said),
                        look,
                        live,
                        fresh,
                        "3.x",
                        Map.of()),
                store);
    }
}
