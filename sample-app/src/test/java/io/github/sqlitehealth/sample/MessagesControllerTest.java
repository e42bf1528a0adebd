package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The three operations, on a database that did not exist before, at a path that wants escaping. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class MessagesControllerTest {

    private static final String AWKWARD = "new folder/what? 100%20 #é.db";

    @TempDir
    static Path folder;

    @LocalServerPort
    int port;

    RestTestClient client;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        registry.add("gateway.database", () -> folder.resolve(AWKWARD).toString());
    }

    @BeforeEach
    void connect() {
        client = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    @Test
    void theFileHasExactlyTheNameThatWasGiven() {
        assertThat(folder.resolve("new folder")).isDirectoryContaining(f -> f.equals(folder.resolve(AWKWARD)));
        assertThat(folder.resolve(AWKWARD + "-wal")).exists();
    }

    @Test
    void aPostedMessageIsCountedAndFound() {
        post("{\"body\": \"lighthouse keeper\"}")
                .expectStatus()
                .isCreated()
                .expectBody()
                .jsonPath("$.id")
                .isNumber();

        client.get()
                .uri("/messages?match=lighthouse")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.length()")
                .isEqualTo(1)
                .jsonPath("$[0].body")
                .isEqualTo("lighthouse keeper");
        client.get()
                .uri("/messages/count")
                .exchange()
                .expectBody()
                .jsonPath("$.count")
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"body\": \" \"}", "{}", "nonsense"})
    void aMessageWithoutBodyIsRefused(String json) {
        post(json)
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody()
                .jsonPath("$.status")
                .isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"open", "AND", "nosuchcolumn:word", "a*b("})
    void anExpressionThatIsNoneIsTheCallersMistake(String expression) {
        client.get()
                .uri("/messages?match={expression}", expression)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON);
    }

    private RestTestClient.ResponseSpec post(String json) {
        return client.post()
                .uri("/messages")
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .exchange();
    }
}
