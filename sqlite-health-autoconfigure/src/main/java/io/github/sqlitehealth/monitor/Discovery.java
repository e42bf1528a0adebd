package io.github.sqlitehealth.monitor;

import java.util.List;
import java.util.Map;

/** Finds the databases of the application. Called on the check thread, again and again until it is complete. */
public interface Discovery {

    /** Databases that have been found since the last call, one for each {@code DataSource}. */
    List<Database> discover();

    /**
     * Whether a database that was found is still to be watched: it may be removed before it is. Any thread may ask.
     */
    default boolean isWanted(Database found) {
        return true;
    }

    /** Why a {@code DataSource} bean is not watched, or not yet, by its name. Any thread may ask. */
    Map<String, String> notWatched();

    /** Whether nothing more is to be found. */
    boolean complete();
}
