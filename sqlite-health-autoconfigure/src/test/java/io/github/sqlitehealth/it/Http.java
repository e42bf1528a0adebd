package io.github.sqlitehealth.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an application answers over HTTP. */
public record Http(int status, String text) {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** Asks for a path exactly as it is written. */
    public static Http get(ApplicationContext app, String path) throws IOException, InterruptedException {
        return send(request(app, path).GET());
    }

    /** Sends JSON. */
    public static Http post(ApplicationContext app, String path, String json) throws IOException, InterruptedException {
        return post(app, path, "application/json", json);
    }

    /** Sends anything, saying that it is of this type or, without one, of none. */
    public static Http post(ApplicationContext app, String path, @Nullable String type, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(app, path).POST(HttpRequest.BodyPublishers.ofString(body));
        return send(type == null ? request : request.header("Content-Type", type));
    }

    private static HttpRequest.Builder request(ApplicationContext app, String path) {
        String port = app.getEnvironment().getProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(30));
    }

    private static Http send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Http(response.statusCode(), response.body());
    }

    public JsonNode json() {
        return JsonMapper.shared().readTree(text);
    }
}
