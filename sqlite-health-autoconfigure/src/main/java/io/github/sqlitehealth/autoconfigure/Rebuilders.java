package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.recovery.DatabaseRebuilder;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Those that the application has published. One that is never called would leave a damaged database as it is.
 *
 * @param excluded names of the databases that are left alone
 */
record Rebuilders(ObjectProvider<DatabaseRebuilder> published, List<String> excluded) {

    private static final Logger log = LoggerFactory.getLogger(Rebuilders.class);

    /**
     * The one of a database.
     *
     * @throws DatabaseRefusedException when there are several: which of them is right nobody can know
     */
    Optional<DatabaseRebuilder> of(String name) {
        List<DatabaseRebuilder> found = published.stream()
                .filter(candidate -> candidate.database().equals(name))
                .toList();
        if (found.size() > 1) {
            throw new DatabaseRefusedException(
                    "The DataSource \"" + name + "\" has " + found.size() + " DatabaseRebuilder beans: "
                            + String.join(
                                    ", ", found.stream().map(Rebuilders::type).toList()) + ".",
                    "Nothing has been changed. Publish one for each database, and check what their database() says.");
        }
        return found.stream().findFirst();
    }

    /**
     * Looks for names that are wrong.
     *
     * @param names of all databases that are known
     * @param later those of them that may have routes of unknown names
     * @throws DatabaseRefusedException when one is for a database that there is not
     */
    void refuseUnlessMet(Set<String> names, Set<String> later) {
        published.stream().forEach(rebuilder -> {
            String wanted = rebuilder.database();
            if (excluded.contains(wanted)) {
                log.warn("{} is never asked: sqlite.health.exclude names its database {}", type(rebuilder), wanted);
            } else if (!names.contains(wanted)) {
                String text = "The DatabaseRebuilder " + type(rebuilder) + " is for a database \"" + wanted
                        + "\", which is none of this application: " + String.join(", ", names);
                if (later.stream().noneMatch(bean -> wanted.startsWith(bean + "."))) {
                    throw new DatabaseRefusedException(
                            text + ".",
                            "Have its database() give the name of a DataSource bean that is there when the application"
                                    + " starts, or do not publish it where there is none.");
                }
                log.warn("{}; it is asked only if a DataSource that is created later has a route of that name", text);
            }
        });
    }

    private static String type(DatabaseRebuilder rebuilder) {
        return rebuilder.getClass().getName();
    }
}
