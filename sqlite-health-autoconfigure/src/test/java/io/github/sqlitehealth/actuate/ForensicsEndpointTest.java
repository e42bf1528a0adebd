package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Http;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/**
 * {@code /actuator/sqliteforensics}, in a process that was preceded by another one on the same database: that one left a
 * snapshot, and the database was emptied in between.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForensicsEndpointTest {

    private static final String ENDPOINT = "/actuator/sqliteforensics";
    private static final String UNRESTRICTED = "management.endpoint.sqliteforensics.access=unrestricted";

    private ConfigurableApplicationContext app;
    private Path file;
    private String earlier;

    @BeforeAll
    void twoRuns(@TempDir Path folder) throws Exception {
        file = Db.wal(folder.toRealPath().resolve("app.db"));
        String url = "spring.datasource.url=" + Db.url(file);
        try (ConfigurableApplicationContext first = Apps.web(Apps.Ordinary.class, url, UNRESTRICTED)) {
            Apps.checked(first, "dataSource");
            Http answer = Http.post(first, ENDPOINT + "/dataSource", "{}");
            assertThat(answer.status()).isEqualTo(200);
            earlier = answer.json().at("/snapshots/0/id").asString();
        }
        Files.delete(file);
        Files.writeString(folder.resolve("secret.txt"), "SECRET");
        Files.writeString(Path.of(file + "-forensics").resolve("secret.json"), "{\"text\": \"SECRET\"}");
        app = Apps.web(Apps.Ordinary.class, url, UNRESTRICTED);
        Db.execute(app.getBean(DataSource.class), "PRAGMA journal_mode=WAL", "CREATE TABLE t (id INTEGER, body TEXT)");
        Apps.awaitVerdict(app, "dataSource", Verdict.EMPTIED);
        WatchedDatabase database = Apps.watched(app, "dataSource");
        await().until(() -> database.state().snapshots().size() == 2);
    }

    @AfterAll
    void stop() {
        app.close();
    }

    @Test
    void allDatabasesAreListedWithTheirState() throws Exception {
        JsonNode answer = Http.get(app, ENDPOINT).json();
        assertThat(answer.path("databases").propertyNames()).containsExactly("dataSource");
        JsonNode database = answer.at("/databases/dataSource");
        assertThat(database.path("file").asString()).isEqualTo(file.toString());
        assertThat(database.path("verdict").isString()).isTrue();
        assertThat(database.path("dataSources").get(0).asString()).isEqualTo("dataSource");
        assertThat(database.path("incidents").isIntegralNumber()).isTrue();
        assertThat(database.at("/snapshots/count").isIntegralNumber()).isTrue();
    }

    @Test
    void theSnapshotOfTheEarlierRunIsListedFirstAndServedWhole() throws Exception {
        JsonNode database = Http.get(app, ENDPOINT + "/dataSource").json();
        assertThat(database.path("incidents").isArray()).isTrue();
        JsonNode first = database.at("/snapshots/0");
        assertThat(first.path("id").asString()).isEqualTo(earlier);
        assertThat(first.path("reason").asString()).isEqualTo("requested");
        List<Instant> times = new ArrayList<>();
        database.path("snapshots")
                .forEach(snapshot -> times.add(Instant.parse(snapshot.path("at").asString())));
        assertThat(times).isSorted();

        Http whole = Http.get(app, ENDPOINT + "/dataSource/" + earlier);
        assertThat(whole.status()).isEqualTo(200);
        assertThat(whole.json().propertyNames())
                .contains(
                        "id",
                        "at",
                        "database",
                        "reason",
                        "verdict",
                        "testimonies",
                        "files",
                        "walHeader",
                        "holders",
                        "liveHandle",
                        "freshHandle",
                        "process",
                        "volume");
        assertThat(whole.json().at("/files/main/path").asString()).isEqualTo(file.toString());
        assertThat(whole.json().at("/files/main/inode").isIntegralNumber()).isTrue();
        assertThat(whole.json().at("/holders/0/pid").asLong())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(whole.json().at("/holders/0/self").asBoolean()).isTrue();
    }

    @Test
    void aCheckOnRequestLeavesASnapshotAndAnswersWithTheState() throws Exception {
        for (String body : List.of("{}", "{\"check\":\"quick\"}", "{\"check\":\"full\"}")) {
            int before = snapshots();
            Http answer = Http.post(app, ENDPOINT + "/dataSource", body);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.json().path("snapshots").size()).isGreaterThan(before);
            assertThat(answer.json().path("verdict").isString()).isTrue();
            assertThat(answer.json().path("incidents").isArray()).isTrue();
        }
    }

    @Test
    void anEmptinessThatWasMeantIsAccepted() throws Exception {
        assertThat(Http.get(app, "/actuator/health/sqlite").status()).isEqualTo(503);
        Http refused = Http.post(app, ENDPOINT + "/dataSource", "{\"accept\":\"DAMAGED\"}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().path("error").asString()).contains("EMPTIED");
        Http answer = Http.post(app, ENDPOINT + "/dataSource", "{\"accept\":\"EMPTIED\"}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("verdict").asString()).isEqualTo("HEALTHY");
        await().untilAsserted(() ->
                assertThat(Http.get(app, "/actuator/health/sqlite").status()).isEqualTo(200));
        JsonNode incidents = Http.get(app, ENDPOINT + "/dataSource").json().path("incidents");
        assertThat(incidents).hasSize(1);
        assertThat(incidents.get(0).path("verdicts").get(0).asString()).isEqualTo("EMPTIED");
        assertThat(Instant.parse(incidents.get(0).path("until").asString())).isBefore(Instant.now());
        // It is gone for the next check, too.
        Http.post(app, ENDPOINT + "/dataSource", "{}");
        assertThat(Http.get(app, "/actuator/health/sqlite").status()).isEqualTo(200);
    }

    @Test
    void anUnknownDatabaseIsNotFoundAndSaysWhereToLook() throws Exception {
        for (Http answer : List.of(
                Http.get(app, ENDPOINT + "/nobody"),
                Http.get(app, ENDPOINT + "/nobody/" + earlier),
                Http.post(app, ENDPOINT + "/nobody", "{}"))) {
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.json().path("error").asString()).contains("GET " + ENDPOINT);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"check\":\"slow\"}",
                "{\"check\":\"\"}",
                "{\"check\":\"identity\"}",
                "{\"accept\":\"\"}",
                "{\"check\":\"quick\",\"accept\":\"EMPTIED\"}",
                "{\"chek\":\"full\"}",
                "{\"check\":\"quick\",\"Check\":\"full\"}",
            })
    void aRequestThatIsNotUnderstoodIsRefusedAndDoesNothing(String body) throws Exception {
        int before = snapshots();
        Http answer = Http.post(app, ENDPOINT + "/dataSource", body);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.json().path("error").asString()).endsWith(".");
        assertThat(snapshots()).isEqualTo(before);
    }

    @Test
    void aKeyThatNobodyKnowsIsNamed() throws Exception {
        Http answer = Http.post(app, ENDPOINT + "/dataSource", "{\"chek\":\"full\"}");
        assertThat(answer.json().path("error").asString()).contains("[chek]", "\"check\"");
    }

    @Test
    void whatIsNotSentAsJsonIsRefusedAndDoesNothing() throws Exception {
        int before = snapshots();
        for (String type : new String[] {null, "text/plain", "application/x-www-form-urlencoded"}) {
            assertThat(Http.post(app, ENDPOINT + "/dataSource", type, "check=full")
                            .status())
                    .as("sent as %s", type)
                    .isEqualTo(415);
        }
        assertThat(snapshots()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"check\": 3, ", "[1]", "{\"check\":{\"a\":1}}", "nonsense"})
    void aBodyThatIsNoSuchJsonIsABadRequest(String body) throws Exception {
        Http answer = Http.post(app, ENDPOINT + "/dataSource", body);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(Http.get(app, ENDPOINT + "/dataSource").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nothing",
                "..",
                "%2e%2e",
                "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
                "..%2F..%2Fetc%2Fpasswd",
                "..%252F..%252Fetc%252Fpasswd",
                "%252e%252e%252fsecret.txt",
                "..%5C..%5Csecret.txt",
                "..%2Fsecret.txt",
                "../secret",
                "x%2F..%2F..%2Fsecret.json",
                "..;/secret",
                "secret",
                "secret.json",
                "..%00",
                "%2Fetc%2Fpasswd",
                "state",
                "state.json",
                "snapshot-x",
            })
    void noIdLeadsToAnyOtherFile(String id) throws Exception {
        Http answer = Http.get(app, ENDPOINT + "/dataSource/" + id);
        // The server itself refuses some of them; "../" may be resolved to some other path that exists.
        assertThat(answer.status()).isIn(200, 400, 404);
        assertThat(answer.text()).doesNotContain("SECRET", "root:", "\"content\"", "schemaVersion\":");
        if (answer.status() == 200) {
            assertThat(id).startsWith("..").doesNotContain("secret");
        }
    }

    @Test
    void anUnknownIdIsNotFoundAndSaysWhereToLook() throws Exception {
        Http answer = Http.get(app, ENDPOINT + "/dataSource/..%255C..%255Cnothing");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().path("error").asString()).contains("GET " + ENDPOINT + "/dataSource");
    }

    @Test
    void withoutAGrantItCanOnlyBeRead(@TempDir Path folder) throws Exception {
        Path other = Db.wal(folder.resolve("app.db"));
        try (ConfigurableApplicationContext guarded =
                Apps.web(Apps.Ordinary.class, "spring.datasource.url=" + Db.url(other))) {
            Apps.checked(guarded, "dataSource");
            assertThat(Http.post(guarded, ENDPOINT + "/dataSource", "{}").status())
                    .isEqualTo(405);
            assertThat(Http.get(guarded, ENDPOINT + "/dataSource").status()).isEqualTo(200);
            assertThat(Http.get(guarded, ENDPOINT).status()).isEqualTo(200);
        }
    }

    private int snapshots() throws Exception {
        return Http.get(app, ENDPOINT + "/dataSource").json().path("snapshots").size();
    }
}
