package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.monitor.Database;
import io.github.sqlitehealth.monitor.Discovery;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the SQLite files behind the {@code DataSource}s of the application, and waits for those that come later. */
final class DataSourceDiscovery implements Discovery {

    private static final Logger log = LoggerFactory.getLogger(DataSourceDiscovery.class);

    private final DataSourceBeans beans;
    private final Map<String, String> notWatched = new ConcurrentHashMap<>();
    private @Nullable List<Candidate> candidates;

    DataSourceDiscovery(DataSourceBeans beans) {
        this.beans = beans;
    }

    @Override
    public List<Database> discover() {
        List<Database> found = new ArrayList<>();
        for (Iterator<Candidate> open = candidates().iterator(); open.hasNext(); ) {
            Candidate candidate = open.next();
            Candidate.Result result = candidate.look();
            if (result.database() != null) {
                found.add(result.database());
                notWatched.remove(candidate.name());
            } else if (result.why() != null) {
                tell(candidate.name(), result.why(), result.known());
            }
            if (result.known()) {
                open.remove();
            }
        }
        return found;
    }

    private List<Candidate> candidates() {
        List<Candidate> known = candidates;
        if (known == null) {
            List<Candidate> all = new ArrayList<>();
            beans.all().forEach((name, dataSource) -> all.add(new Candidate(name, dataSource)));
            candidates = all;
            return all;
        }
        return known;
    }

    /** Once, and once more when it is final; not at every attempt, whose failures may differ in some number. */
    private void tell(String name, String why, boolean known) {
        String before = notWatched.put(name, why);
        if (before == null || (known && !before.equals(why))) {
            log.info("The DataSource {} is not watched. {}", name, why);
        }
    }

    @Override
    public Map<String, String> notWatched() {
        return notWatched;
    }

    @Override
    public boolean complete() {
        return candidates().isEmpty();
    }
}
