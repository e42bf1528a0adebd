package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Says what the monitor last found out about the database of one {@code DataSource} bean. It reads memory only: it
 * answers while the database is locked, the pool is empty or the disk hangs.
 */
public final class SqliteHealthIndicator implements HealthIndicator {

    private final String dataSource;
    private final Monitor monitor;
    private final Map<Verdict, String> statuses;

    /**
     * @param dataSource the name of the bean
     * @param statuses codes for verdicts whose status is not to be the usual one
     */
    public SqliteHealthIndicator(String dataSource, Monitor monitor, Map<Verdict, String> statuses) {
        this.dataSource = dataSource;
        this.monitor = monitor;
        this.statuses = Map.copyOf(statuses);
    }

    @Override
    public Health health() {
        return monitor.database(dataSource).map(this::watched).orElseGet(this::notWatched);
    }

    private Health watched(WatchedDatabase database) {
        StateView view = StateView.of(database);
        String code = statuses.getOrDefault(view.verdict(), view.verdict().status());
        return Health.status(new Status(code)).withDetails(view.details()).build();
    }

    /** What is not watched is neither well nor ill. */
    private Health notWatched() {
        return Health.unknown()
                .withDetail("database", dataSource)
                .withDetail(
                        "summary", monitor.whyNotWatched(dataSource).orElse("The search for its file has not begun."))
                .build();
    }
}
