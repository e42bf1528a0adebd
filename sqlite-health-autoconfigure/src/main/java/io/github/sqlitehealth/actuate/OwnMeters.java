package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What is registered for one database, so that it goes with it. Any thread may register, also while it goes. */
final class OwnMeters {

    private final WatchedDatabase database;
    private final MeterRegistry registry;
    private final Set<Meter> registered = ConcurrentHashMap.newKeySet();
    private volatile boolean removed;

    OwnMeters(WatchedDatabase database, MeterRegistry registry) {
        this.database = database;
        this.registry = registry;
    }

    void seconds(SqliteMeter meter, Tags tags, Function<WatchedDatabase, Duration> value) {
        gauge(meter, "seconds", tags, watched -> value.apply(watched).toNanos() / 1e9);
    }

    void gauge(SqliteMeter meter, @Nullable String unit, Tags tags, ToDoubleFunction<WatchedDatabase> value) {
        remember(Gauge.builder(meter.meterName(), database, value)
                .description(meter.description())
                .baseUnit(unit)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    void count(SqliteMeter meter, Tags tags, ToDoubleFunction<WatchedDatabase> value) {
        remember(FunctionCounter.builder(meter.meterName(), database, value)
                .description(meter.description())
                .tags(tags)
                .register(registry));
    }

    Timer timer(SqliteMeter meter, Tags tags) {
        return remember(Timer.builder(meter.meterName())
                .description(meter.description())
                .tags(tags)
                .register(registry));
    }

    private <M extends Meter> M remember(M meter) {
        registered.add(meter);
        if (removed) {
            // A witness was heard while the database was removed.
            registry.remove(meter);
        }
        return meter;
    }

    void remove() {
        removed = true;
        registered.forEach(registry::remove);
    }
}
