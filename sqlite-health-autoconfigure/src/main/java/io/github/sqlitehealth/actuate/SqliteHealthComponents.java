package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.monitor.Monitor;
import io.github.sqlitehealth.monitor.MonitorListener;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;

/**
 * The health components of all databases. For one {@code DataSource} of the context the component {@code sqlite} is its
 * indicator; for several, and from the first database that is added while the application runs, a composite.
 */
public final class SqliteHealthComponents implements MonitorListener {

    private static final String COMPONENT = "sqlite";

    private final Supplier<@Nullable Monitor> monitor;
    private final Map<Verdict, String> statuses;
    private final Supplier<@Nullable HealthContributorRegistry> registry;
    private final Map<String, HealthContributor> indicators = new ConcurrentSkipListMap<>();

    /**
     * @param monitor asked for when the first component is needed
     * @param statuses codes for verdicts whose status is not to be the usual one
     * @param registry where the component is exchanged at run time; asked for only then
     */
    public SqliteHealthComponents(
            Supplier<@Nullable Monitor> monitor,
            Map<Verdict, String> statuses,
            Supplier<@Nullable HealthContributorRegistry> registry) {
        this.monitor = monitor;
        this.statuses = Map.copyOf(statuses);
        this.registry = registry;
    }

    /** What the component is at the start of the application. */
    public HealthContributor contributor(Collection<String> dataSources) {
        dataSources.forEach(this::put);
        return indicators.size() == 1 ? indicators.values().iterator().next() : new Composite();
    }

    private void put(String name) {
        Monitor asked = monitor.get();
        if (asked != null) {
            indicators.put(name, new SqliteHealthIndicator(name, asked, statuses));
        }
    }

    @Override
    public void added(WatchedDatabase database) {
        if (indicators.containsKey(database.name())) {
            return;
        }
        put(database.name());
        HealthContributorRegistry running = registry.get();
        if (running != null && running.getContributor(COMPONENT) instanceof SqliteHealthIndicator) {
            running.unregisterContributor(COMPONENT);
            running.registerContributor(COMPONENT, new Composite());
        }
    }

    @Override
    public void removed(WatchedDatabase database) {
        indicators.remove(database.name());
    }

    /** Shows what is watched at the moment of the question. */
    private final class Composite implements CompositeHealthContributor {

        @Override
        public @Nullable HealthContributor getContributor(String name) {
            return indicators.get(name);
        }

        @Override
        public Stream<Entry> stream() {
            return indicators.entrySet().stream().map(entry -> new Entry(entry.getKey(), entry.getValue()));
        }
    }
}
