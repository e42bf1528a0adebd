package io.github.sqlitehealth.sample;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.LockSupport;

/** Posts without a pause, as the clients of a busy gateway do, and remembers what was acknowledged. */
class BackgroundWriter {

    private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMillis(20);

    private final GatewayClient gateway;
    private final Map<Long, String> acknowledged = new ConcurrentSkipListMap<>();
    private final Thread thread = new Thread(this::write, "background-writer");
    private volatile boolean stopped;

    BackgroundWriter(GatewayClient gateway) {
        this.gateway = gateway;
    }

    void start() {
        thread.start();
    }

    /** The bodies of all acknowledged messages so far, by id. */
    Map<Long, String> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    /** Ends after the message that is under way. */
    Map<Long, String> stop() throws InterruptedException {
        stopped = true;
        thread.join();
        return acknowledged();
    }

    private void write() {
        for (long n = 1; !stopped; n++) {
            String body = "written in the background " + n;
            try {
                acknowledged.put(gateway.post(body), body);
            } catch (RuntimeException | AssertionError e) {
                // Refused, or the gateway is gone: nothing was promised, and the next one may pass.
                LockSupport.parkNanos(PAUSE_AFTER_REFUSAL.toNanos());
            }
        }
    }
}
