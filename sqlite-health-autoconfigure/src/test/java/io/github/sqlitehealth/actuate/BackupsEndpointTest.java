package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.it.Apps;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.it.Http;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
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

/** {@code /actuator/sqlitebackups}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackupsEndpointTest {

    private static final String ENDPOINT = "/actuator/sqlitebackups";

    private ConfigurableApplicationContext app;
    private Path file;
    private Path directory;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        file = Db.wal(folder.toRealPath().resolve("app.db"));
        directory = Path.of(file + "-backups");
        app = Apps.web(
                Apps.Ordinary.class,
                "spring.datasource.url=" + Db.url(file),
                "management.endpoint.sqlitebackups.access=unrestricted");
        Db.execute(app.getBean(DataSource.class), "PRAGMA user_version=5");
        Apps.checked(app, "dataSource");
        Files.writeString(folder.resolve("secret.db"), "SECRET");
    }

    @AfterAll
    void stop() {
        app.close();
    }

    @Test
    void aBackupThatIsAskedForIsAnsweredWithWhatIsInItAndListed() throws Exception {
        Http answer = Http.post(app, ENDPOINT + "/dataSource", "{}");

        assertThat(answer.status()).isEqualTo(200);
        JsonNode taken = answer.json();
        String name = taken.path("name").asString();
        assertThat(directory.resolve(name)).exists();
        assertThat(taken.path("verified").asBoolean()).isTrue();
        assertThat(taken.at("/rows/t").asInt()).isEqualTo(100);
        assertThat(taken.path("userVersion").asInt()).isEqualTo(5);
        assertThat(taken.path("check").asString()).isEqualTo("ok");
        assertThat(taken.path("source").asString()).isEqualTo(file.toString());
        assertThat(taken.path("file").asString())
                .isEqualTo(directory.resolve(name).toString());
        JsonNode listed = Http.get(app, ENDPOINT + "/dataSource").json();
        assertThat(listed.at("/backups/0/name").asString()).isEqualTo(name);
        assertThat(listed.at("/backups/0/verified").asBoolean()).isTrue();
        assertThat(listed.path("lastVerified").isString()).isTrue();
        assertThat(listed.path("enabled").asBoolean()).isFalse();
        JsonNode all = Http.get(app, ENDPOINT).json();
        assertThat(all.path("databases").propertyNames()).containsExactly("dataSource");
        assertThat(all.at("/databases/dataSource/directory").asString()).isEqualTo(directory.toString());
        assertThat(Http.get(app, ENDPOINT + "/dataSource/" + name).json()).isEqualTo(taken);
    }

    /** Neither size nor time of modification tell: only the content does. */
    @Test
    void oneBackupIsReadAgainBeforeItIsCalledVerified() throws Exception {
        String name = Http.post(app, ENDPOINT + "/dataSource", "{}")
                .json()
                .path("name")
                .asString();
        Path copy = directory.resolve(name);
        FileTime modified = Files.getLastModifiedTime(copy);
        Outside.overwrite(copy, 2);
        Files.setLastModifiedTime(copy, modified);

        JsonNode seen = Http.get(app, ENDPOINT + "/dataSource/" + name).json();

        assertThat(seen.path("verified").asBoolean()).isFalse();
        assertThat(seen.path("why").asString()).contains("changed");
        Files.delete(copy);
    }

    @Test
    void aBackupThatWasRemovedIsNeitherListedNorTheLastVerified() throws Exception {
        String name = Http.post(app, ENDPOINT + "/dataSource", "{}")
                .json()
                .path("name")
                .asString();
        Outside.sh("rm \"$1\"", directory.resolve(name));

        JsonNode seen = Http.get(app, ENDPOINT + "/dataSource").json();

        assertThat(seen.path("why").asString()).isEqualTo(name + " is gone");
        assertThat(seen.path("backups").toString()).doesNotContain(name);
        assertThat(seen.path("lastVerified").asString(""))
                .isEqualTo(seen.at("/backups/0/at").asString(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nobody",
                "/nobody/x.db",
                "/dataSource/x.db",
                "/dataSource/secret.db",
                "/dataSource/..%5Csecret.db",
                "/dataSource/dataSource.lock"
            })
    void whatIsNotThereIsSaidInJson(String path) throws Exception {
        Http answer = Http.get(app, ENDPOINT + path);
        assertThat(answer.text()).doesNotContain("SECRET");
        assertThat(answer.status()).isIn(400, 404);
        if (!path.contains("%")) {
            assertThat(answer.json().path("error").asString()).contains("/actuator/sqlitebackups");
        }
    }

    @Test
    void noPathLeadsOutOfTheDirectory() throws Exception {
        for (String name : new String[] {"..%2Fsecret.db", "%2e%2e/secret.db", "../secret.db"}) {
            assertThat(Http.get(app, ENDPOINT + "/dataSource/" + name).text()).doesNotContain("SECRET");
        }
    }

    @Test
    void anUnknownDatabaseIsNotBackedUp() throws Exception {
        Http answer = Http.post(app, ENDPOINT + "/nobody", "{}");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().path("error").asString()).contains("No database");
    }

    @Test
    void whyABackupFailedIsTheAnswer(@TempDir Path folder) throws Exception {
        Path inTheWay = Files.createDirectory(folder.resolve("all"));
        try (ConfigurableApplicationContext other = Apps.web(
                Apps.Ordinary.class,
                "spring.datasource.url=" + Db.url(Db.wal(folder.toRealPath().resolve("other.db"))),
                "sqlite.health.backup.directory=" + inTheWay,
                "management.endpoint.sqlitebackups.access=unrestricted")) {
            Db.execute(other.getBean(DataSource.class), "SELECT 1");
            Apps.checked(other, "dataSource");
            Files.delete(inTheWay);
            Files.writeString(inTheWay, "a file");
            Http answer = Http.post(other, ENDPOINT + "/dataSource", "{}");
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.json().path("error").asString()).contains(inTheWay.toString());
        }
    }

    @Test
    void readOnlyUnlessTheApplicationGrantsMore(@TempDir Path folder) throws Exception {
        Path database = Db.wal(folder.toRealPath().resolve("other.db"));
        try (ConfigurableApplicationContext other =
                Apps.web(Apps.Ordinary.class, "spring.datasource.url=" + Db.url(database))) {
            Apps.watched(other, "dataSource");
            assertThat(Http.post(other, ENDPOINT + "/dataSource", "{}").status())
                    .isEqualTo(405);
            assertThat(Http.get(other, ENDPOINT + "/dataSource").status()).isEqualTo(200);
        }
    }
}
