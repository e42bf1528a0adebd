package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners; one that throws neither disturbs the monitor nor the others. */
final class MonitorListeners implements MonitorListener {

    private static final Logger log = LoggerFactory.getLogger(MonitorListeners.class);

    private final List<MonitorListener> listeners;

    MonitorListeners(List<MonitorListener> listeners) {
        this.listeners = listeners;
    }

    @Override
    public void added(WatchedDatabase database) {
        tell(listener -> listener.added(database));
    }

    @Override
    public void removed(WatchedDatabase database) {
        tell(listener -> listener.removed(database));
    }

    @Override
    public void verdictChanged(MonitorState before, MonitorState after) {
        tell(listener -> listener.verdictChanged(before, after));
    }

    @Override
    public void heard(String database, Testimony testimony) {
        tell(listener -> listener.heard(database, testimony));
    }

    @Override
    public void backedUp(String database, Duration took) {
        tell(listener -> listener.backedUp(database, took));
    }

    private void tell(Consumer<MonitorListener> news) {
        for (MonitorListener listener : listeners) {
            try {
                news.accept(listener);
            } catch (RuntimeException | LinkageError ex) {
                log.warn("A listener failed: {}", listener.getClass().getName(), ex);
            }
        }
    }
}
