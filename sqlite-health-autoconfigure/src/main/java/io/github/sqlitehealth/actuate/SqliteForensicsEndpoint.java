package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The evidence, and a check on request. What cannot be found or understood is answered with a sentence that says so;
 * nothing in it can be made to read a file outside the forensics directory.
 */
@WebEndpoint(id = SqliteForensicsEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class SqliteForensicsEndpoint {

    static final String ID = "sqliteforensics";

    private final Monitor monitor;
    private final Duration patience;

    /**
     * @param patience how long a request waits for a check; after that the answer is the state as it is
     */
    public SqliteForensicsEndpoint(Monitor monitor, Duration patience) {
        this.monitor = monitor;
        this.patience = patience;
    }

    /** All databases, by name. */
    @ReadOperation
    public Map<String, Object> databases() {
        Map<String, Object> databases = new LinkedHashMap<>();
        for (WatchedDatabase database : monitor.databases()) {
            Map<String, Object> shown =
                    new LinkedHashMap<>(StateView.of(database).details());
            MonitorState state = database.state();
            shown.put("dataSources", state.dataSources());
            shown.put("incidents", state.incidents().size() + (state.incident() == null ? 0 : 1));
            databases.put(database.name(), shown);
        }
        return Map.of("databases", databases);
    }

    /** One database, with its incidents and snapshots, oldest first. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> database(@Selector String database) {
        return monitor.database(database)
                .map(found -> new WebEndpointResponse<>(ForensicsView.of(found)))
                .orElseGet(() -> unknownDatabase());
    }

    /** One whole snapshot. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> snapshot(@Selector String database, @Selector String id) {
        WatchedDatabase found = monitor.database(database).orElse(null);
        if (found == null) {
            return unknownDatabase();
        }
        return found.snapshot(id)
                .map(snapshot -> new WebEndpointResponse<>(snapshot))
                .orElseGet(() -> error(
                        WebEndpointResponse.STATUS_NOT_FOUND,
                        "There is no snapshot of this id of " + found.name() + "; GET /actuator/sqliteforensics/"
                                + found.name() + " lists those there are."));
    }

    /** Checks now and takes a snapshot; or accepts that the database is empty. */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
            @Selector String database, @Nullable String check, @Nullable String accept) {
        WatchedDatabase found = monitor.database(database).orElse(null);
        if (found == null) {
            return unknownDatabase();
        }
        if (accept != null) {
            return accept(found, check, accept);
        }
        if (check == null || check.equals(Check.QUICK.key())) {
            return answer(found, found.check(Check.QUICK));
        }
        if (check.equals(Check.FULL.key())) {
            return answer(found, found.check(Check.FULL));
        }
        return error(WebEndpointResponse.STATUS_BAD_REQUEST, "There is no such check; ask for \"quick\" or \"full\".");
    }

    private WebEndpointResponse<Map<String, Object>> accept(
            WatchedDatabase database, @Nullable String check, String accept) {
        if (check != null) {
            return badRequest("Ask for a check or accept something, not both at once.");
        }
        if (!Verdict.EMPTIED.name().equals(accept)) {
            return badRequest("Only \"EMPTIED\" can be accepted; every other verdict ends when its cause does.");
        }
        return answer(database, database.acceptContent());
    }

    private static WebEndpointResponse<Map<String, Object>> badRequest(String text) {
        return error(WebEndpointResponse.STATUS_BAD_REQUEST, text);
    }

    private WebEndpointResponse<Map<String, Object>> answer(
            WatchedDatabase database, CompletableFuture<MonitorState> work) {
        try {
            work.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return new WebEndpointResponse<>(ForensicsView.of(database));
        } catch (TimeoutException ex) {
            Map<String, Object> state = new LinkedHashMap<>(ForensicsView.of(database));
            state.put("note", "The check has not come to an end within " + patience + "; this is the state before it.");
            return new WebEndpointResponse<>(state, 202);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return error(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, "The request was interrupted.");
        } catch (ExecutionException ex) {
            return error(
                    WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, "The check could not be made: " + ex.getCause());
        }
    }

    private static WebEndpointResponse<Map<String, Object>> unknownDatabase() {
        return error(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "No database of this name is watched; GET /actuator/sqliteforensics lists those that are.");
    }

    private static WebEndpointResponse<Map<String, Object>> error(int status, String text) {
        return new WebEndpointResponse<>(Map.of("error", text), status);
    }
}
