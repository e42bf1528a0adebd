package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.LiveHandles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The {@code DataSource}s that use one file, which is watched once, with the connections of all. Thread-safe. */
final class Joined {

    /** One entry for each. */
    private final List<LiveHandles> handles = new CopyOnWriteArrayList<>();

    private volatile Map<String, Other> others = Map.of();

    private record Other(Database database, LiveHandles handles) {}

    /** The connections of the one after which the database is named. */
    void first(LiveHandles theirs) {
        handles.add(theirs);
    }

    synchronized void join(Database other, LiveHandles theirs) {
        Map<String, Other> all = new HashMap<>(others);
        all.put(other.name(), new Other(other, theirs));
        others = Map.copyOf(all);
        handles.add(theirs);
    }

    /** @return the one of this name that has left; absent when there was none */
    synchronized @Nullable Database part(String name) {
        Map<String, Other> all = new HashMap<>(others);
        Other gone = all.remove(name);
        if (gone == null) {
            return null;
        }
        others = Map.copyOf(all);
        handles.remove(gone.handles());
        return gone.database();
    }

    /** All but the first. */
    List<Database> others() {
        return others.values().stream().map(Other::database).toList();
    }

    /** Of all of them; changes with them. */
    List<LiveHandles> handles() {
        return handles;
    }
}
