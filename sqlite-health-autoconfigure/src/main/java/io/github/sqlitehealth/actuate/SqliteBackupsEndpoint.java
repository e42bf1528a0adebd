package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupFailedException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/** The backups there are, and one more on request. Nothing in a request can name a file outside their directory. */
@WebEndpoint(id = "sqlitebackups", defaultAccess = Access.READ_ONLY)
public final class SqliteBackupsEndpoint {

    private static final int CONFLICT = 409;

    private final Monitor monitor;
    private final Duration patience;

    /**
     * @param patience how long a request waits for a backup; after that it is told to look later
     */
    public SqliteBackupsEndpoint(Monitor monitor, Duration patience) {
        this.monitor = monitor;
        this.patience = patience;
    }

    /** All databases, by name. */
    @ReadOperation
    public Map<String, Object> databases() {
        Map<String, Object> databases = new LinkedHashMap<>();
        monitor.databases().forEach(database -> databases.put(database.name(), BackupView.of(database)));
        return Map.of("databases", databases);
    }

    /** One database, with its backups, newest first. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> database(@Selector String database) {
        return with(database, found -> {
            List<Backup> backups = found.backups().list();
            Map<String, Object> shown = BackupView.of(found);
            shown.put("backups", backups.stream().map(BackupView::of).toList());
            return new WebEndpointResponse<>(shown);
        });
    }

    /** One backup, which is read again for it. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> backup(@Selector String database, @Selector String name) {
        return with(
                database,
                found -> found.backups()
                        .directory()
                        .readAgain(name)
                        .map(backup -> new WebEndpointResponse<>(BackupView.whole(backup)))
                        .orElseGet(() -> error(
                                WebEndpointResponse.STATUS_NOT_FOUND,
                                "There is no backup of this name of " + found.name() + "; GET /actuator/sqlitebackups/"
                                        + found.name() + " lists those there are.")));
    }

    /** Takes a backup now. */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> backUp(@Selector String database) {
        return with(database, this::backUp);
    }

    private WebEndpointResponse<Map<String, Object>> backUp(WatchedDatabase database) {
        try {
            Backup backup = database.backups().now().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return new WebEndpointResponse<>(BackupView.whole(backup));
        } catch (TimeoutException ex) {
            Map<String, Object> state = BackupView.of(database);
            state.put("note", "The backup has not come to an end within " + patience + "; look again later.");
            return new WebEndpointResponse<>(state, 202);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return error(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, "The request was interrupted.");
        } catch (ExecutionException ex) {
            boolean busy = ex.getCause() instanceof BackupFailedException failed && failed.busy();
            return error(
                    busy ? CONFLICT : WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR,
                    String.valueOf(
                            ex.getCause() == null
                                    ? ex.getMessage()
                                    : ex.getCause().getMessage()));
        }
    }

    private WebEndpointResponse<Map<String, Object>> with(
            String database, Function<WatchedDatabase, WebEndpointResponse<Map<String, Object>>> work) {
        try {
            return monitor.database(database)
                    .map(work)
                    .orElseGet(() -> error(
                            WebEndpointResponse.STATUS_NOT_FOUND,
                            "No database of this name is watched; GET /actuator/sqlitebackups lists those that are."));
        } catch (UncheckedIOException ex) {
            return error(WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR, String.valueOf(ex.getMessage()));
        }
    }

    private static WebEndpointResponse<Map<String, Object>> error(int status, String text) {
        return new WebEndpointResponse<>(Map.of("error", text), status);
    }
}
