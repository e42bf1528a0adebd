package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The meters of all databases, from the moment in which each is found. A scrape reads memory only. */
public final class SqliteHealthMetrics implements MonitorListener {

    private final MeterRegistry registry;
    private final boolean onlyUnhealthy;

    /** The databases that have meters now. */
    private final Map<String, DatabaseMeters> meters = new ConcurrentHashMap<>();

    private final Map<String, WatchedDatabase> databases = new ConcurrentHashMap<>();

    /**
     * @param onlyUnhealthy whether a database has meters only while it is not HEALTHY, for applications with very many
     */
    public SqliteHealthMetrics(MeterRegistry registry, boolean onlyUnhealthy) {
        this.registry = registry;
        this.onlyUnhealthy = onlyUnhealthy;
    }

    @Override
    public void added(WatchedDatabase database) {
        databases.put(database.name(), database);
        show(database);
    }

    @Override
    public void removed(WatchedDatabase database) {
        databases.remove(database.name(), database);
        hide(database);
    }

    @Override
    public void verdictChanged(MonitorState before, MonitorState after) {
        WatchedDatabase database = databases.get(after.database());
        if (database != null) {
            show(database);
        }
    }

    private void show(WatchedDatabase database) {
        if (onlyUnhealthy && database.state().verdict() == Verdict.HEALTHY) {
            hide(database);
        } else {
            meters.computeIfAbsent(database.name(), any -> new DatabaseMeters(database, registry));
            if (databases.get(database.name()) != database) {
                // It was removed meanwhile.
                hide(database);
            }
        }
    }

    private void hide(WatchedDatabase database) {
        meters.computeIfPresent(database.name(), (name, shown) -> {
            if (shown.database() != database) {
                return shown;
            }
            shown.remove();
            return null;
        });
    }

    @Override
    public void heard(String database, Testimony testimony) {
        DatabaseMeters shown = meters.get(database);
        if (shown == null) {
            return;
        }
        shown.countErrors();
        shown.record(testimony);
    }
}
