package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to a gateway over HTTP, as its clients, its operator and its Prometheus do. */
class GatewayClient {

    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration FIRST_LOOK = Duration.ofSeconds(15);
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private final URI base;

    GatewayClient(int port) {
        this.base = URI.create("http://localhost:" + port);
    }

    int port() {
        return base.getPort();
    }

    /** The id of the new message: once this returns, the message must never be lost. */
    long post(String body) {
        HttpResponse<String> response = send(json("/messages", Map.of("body", body)), Duration.ofSeconds(15));
        return expect(response, 201).path("id").asLong();
    }

    long count() {
        return expect(get("/messages/count"), 200).path("count").asLong();
    }

    List<Long> matching(String word) {
        JsonNode found = expect(get("/messages?match=" + URLEncoder.encode(word, StandardCharsets.UTF_8)), 200);
        return found.valueStream().map(message -> message.path("id").asLong()).toList();
    }

    /** The answer of {@code /actuator/health/sqlite}: {@code status} and {@code details}. */
    JsonNode health() {
        return expect(get("/actuator/health/sqlite"), 200, 503);
    }

    String verdict() {
        return health().path("details").path("verdict").asString("");
    }

    /** Waits for a verdict and tells how long it took; the failure message holds the last answer of health. */
    Duration awaitVerdict(String verdict, Duration atMost) {
        long start = System.nanoTime();
        AtomicReference<JsonNode> last = new AtomicReference<>();
        try {
            await().atMost(atMost).pollDelay(Duration.ZERO).pollInterval(POLL).until(() -> {
                last.set(health());
                return verdict.equals(last.get().path("details").path("verdict").asString(""));
            });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("No " + verdict + " within " + atMost + ", but " + last.get(), e);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Waits until the monitor has seen the files for the first time: what is done before that is another incident. */
    void awaitHealthy() {
        awaitVerdict("HEALTHY", FIRST_LOOK);
    }

    /** Reads {@code /actuator/sqliteforensics} or, with a path such as {@code /dataSource}, what lies below it. */
    JsonNode forensics(String path) {
        return expect(get("/actuator/sqliteforensics" + path), 200);
    }

    /** Has the database checked now, {@code quick} or {@code full}; returns with the answer to that check. */
    JsonNode check(String kind) {
        HttpRequest.Builder request = json("/actuator/sqliteforensics/dataSource", Map.of("check", kind));
        return expect(send(request, Duration.ofSeconds(60)), 200);
    }

    /** Says that what a verdict complains of was meant. */
    JsonNode accept(String verdict) {
        HttpRequest.Builder request = json("/actuator/sqliteforensics/dataSource", Map.of("accept", verdict));
        return expect(send(request, Duration.ofSeconds(60)), 200);
    }

    String prometheus() {
        HttpResponse<String> response = get("/actuator/prometheus");
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    /** The sum of all samples of this Prometheus name that carry these tags (name, value, name, value ...). */
    OptionalDouble metric(String name, String... tags) {
        List<Double> samples = prometheus()
                .lines()
                .filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "))
                .filter(line -> hasTags(line, tags))
                .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
                .toList();
        return samples.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        samples.stream().mapToDouble(Double::doubleValue).sum());
    }

    private static boolean hasTags(String line, String... tags) {
        for (int i = 0; i < tags.length; i += 2) {
            if (!line.contains(tags[i] + "=\"" + tags[i + 1] + "\"")) {
                return false;
            }
        }
        return true;
    }

    /** Whatever a path, exactly as it is written, is answered with. */
    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(base.resolve(path)), Duration.ofSeconds(15));
    }

    private HttpRequest.Builder json(String path, Map<String, String> body) {
        return HttpRequest.newBuilder(base.resolve(path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)));
    }

    private static JsonNode expect(HttpResponse<String> response, Integer... statuses) {
        assertThat(response.statusCode())
                .as("%s %s answered %s", response.request().method(), response.uri(), response.body())
                .isIn(Arrays.asList(statuses));
        return JSON.readTree(response.body());
    }

    private static HttpResponse<String> send(HttpRequest.Builder request, Duration timeout) {
        try {
            return HTTP.send(request.timeout(timeout).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
