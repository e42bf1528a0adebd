package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.monitor.Monitor;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the monitor with the application and stops it after the web server has drained and before the pools close: the
 * last requests are still watched. Pools are closed with the beans, after every life cycle has ended. Spring creates beans
 * of this kind also where all others are created lazily.
 */
final class MonitorLifecycle implements SmartLifecycle {

    /** Below {@code WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE}, which need not be on the class path. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final Monitor monitor;

    MonitorLifecycle(Monitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public void start() {
        monitor.start();
    }

    @Override
    public void stop() {
        monitor.stop();
    }

    @Override
    public boolean isRunning() {
        return monitor.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
