package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.monitor.Database;
import io.github.sqlitehealth.monitor.Discovery;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the SQLite files behind the {@code DataSource}s of the application, and waits for those that come later. */
final class DataSourceDiscovery implements Discovery {

    private static final Logger log = LoggerFactory.getLogger(DataSourceDiscovery.class);

    private final DataSourceBeans beans;
    private final Predicate<Path> created;
    private final Timepiece time;
    private final Map<String, String> notWatched = new ConcurrentHashMap<>();

    /** Those of which not everything is known. */
    private final Queue<Candidate> open = new ConcurrentLinkedQueue<>();

    /** By name: what is being looked for, and then what was found. */
    private final Map<String, Object> names = new ConcurrentHashMap<>();

    private volatile boolean beansAsked;

    /** @param created whether a file was not there before the application began */
    DataSourceDiscovery(DataSourceBeans beans, Predicate<Path> created, Timepiece time) {
        this.beans = beans;
        this.created = created;
        this.time = time;
    }

    /** Adds one that is no bean; {@code false} when the name is taken. */
    boolean add(String name, DataSource dataSource) {
        askBeans();
        return offer(new Candidate(name, dataSource, created, time));
    }

    boolean remove(String name) {
        open.removeIf(candidate -> candidate.name().equals(name));
        notWatched.remove(name);
        return names.remove(name) != null;
    }

    private boolean offer(Candidate candidate) {
        if (names.putIfAbsent(candidate.name(), candidate) != null) {
            return false;
        }
        open.add(candidate);
        return true;
    }

    @Override
    public List<Database> discover() {
        askBeans();
        List<Database> found = new ArrayList<>();
        for (Candidate candidate : open) {
            Candidate.Result result = candidate.look();
            // It may have been removed meanwhile.
            if (result.known() && !open.remove(candidate)) {
                continue;
            }
            Database database = result.database();
            if (database != null) {
                if (names.replace(candidate.name(), candidate, database)) {
                    found.add(database);
                }
                notWatched.remove(candidate.name());
            } else if (result.why() != null) {
                tell(candidate.name(), result.why(), result.known());
                if (names.get(candidate.name()) != candidate) {
                    notWatched.remove(candidate.name(), result.why());
                }
            }
        }
        return found;
    }

    private synchronized void askBeans() {
        if (!beansAsked) {
            beans.all().forEach((name, dataSource) -> offer(new Candidate(name, dataSource, created, time)));
            beansAsked = true;
        }
    }

    /** Once, and once more when it is final; not at every attempt, whose failures may differ in some number. */
    private void tell(String name, String why, boolean known) {
        String before = notWatched.put(name, why);
        if (before == null || (known && !before.equals(why))) {
            log.info("The DataSource {} is not watched. {}", name, why);
        }
    }

    @Override
    public boolean isWanted(Database database) {
        return names.get(database.name()) == database;
    }

    @Override
    public Map<String, String> notWatched() {
        return notWatched;
    }

    @Override
    public boolean complete() {
        return beansAsked && open.isEmpty();
    }
}
