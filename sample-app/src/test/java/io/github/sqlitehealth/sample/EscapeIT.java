package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** No address of a snapshot leads out of the forensics directory, and each of them is answered in JSON. */
class EscapeIT {

    private static final String SECRET = "nobody may read this";

    private static RunningGateway gateway;

    @BeforeAll
    static void secretsBesideTheEvidence(@TempDir Path folder) throws Exception {
        gateway = RunningGateway.start(folder, "data/gateway.db");
        gateway.awaitHealthy();
        gateway.check("quick");
        // As a snapshot would be.
        Files.writeString(gateway.sidecar("-secret.json"), "{\"text\": \"" + SECRET + "\"}");
        Files.writeString(gateway.sidecar("-forensics").resolve("secret.json"), "{\"text\": \"" + SECRET + "\"}");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "..%2F..%2Fetc%2Fpasswd",
                "..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
                "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
                "%2Fetc%2Fpasswd",
                "..%2Fgateway.db-secret",
                "..%2Fgateway.db-secret.json",
                "%2e%2e%2fgateway.db-secret",
                "..%5cgateway.db-secret",
                "..%5C..%5Cetc%5Cpasswd",
                "x%2F..%2Fsecret",
                ".%2Fsecret",
                "..%252F..%252Fetc%252Fpasswd",
                "secret",
                "secret.json",
                "state.json",
            })
    void anIdThatIsNoneIsAnsweredInJsonAndLeaksNothing(String id) {
        HttpResponse<String> answer = gateway.get("/actuator/sqliteforensics/dataSource/" + id);

        assertThat(answer.request().uri().getRawPath()).as("sent as it is").endsWith(id);
        assertThat(answer.statusCode()).as(answer.body()).isIn(400, 404);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .as(answer.body())
                .contains("json");
        assertThat(new JsonMapper().readTree(answer.body()).isObject()).isTrue();
        assertThat(answer.body()).doesNotContain(SECRET, "root:", "findings");
    }

    @ParameterizedTest
    @ValueSource(strings = {"..%2F..%2Fetc%2Fpasswd", "%2e%2e%2fdataSource", "..%5cdataSource"})
    void aDatabaseThatIsNoneIsAnsweredInJson(String name) {
        HttpResponse<String> answer = gateway.get("/actuator/sqliteforensics/" + name);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
        assertThat(new JsonMapper().readTree(answer.body()).path("error").asString(""))
                .contains("No database of this name");
    }
}
