package io.github.sqlitehealth.forensics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How much evidence is kept. The first and the last snapshot of an incident stay, whatever the bounds say: they tell how
 * it began and how it ended.
 *
 * @param maxCount most snapshots
 * @param maxSize most bytes in all
 */
public record Retention(int maxCount, long maxSize) {

    /** The ids that may go, oldest first. */
    List<String> surplus(List<SnapshotStore.Stored> oldestFirst) {
        Set<String> kept = firstAndLast(oldestFirst);
        long count = oldestFirst.size();
        long size = oldestFirst.stream().mapToLong(SnapshotStore.Stored::size).sum();
        List<String> surplus = new ArrayList<>();
        for (SnapshotStore.Stored stored : oldestFirst) {
            if (count <= maxCount && size <= maxSize) {
                break;
            }
            if (!kept.contains(stored.entry().id())) {
                surplus.add(stored.entry().id());
                count--;
                size -= stored.size();
            }
        }
        return surplus;
    }

    private static Set<String> firstAndLast(List<SnapshotStore.Stored> oldestFirst) {
        Map<String, String> first = new HashMap<>();
        Map<String, String> last = new HashMap<>();
        for (SnapshotStore.Stored stored : oldestFirst) {
            String incident = stored.entry().incident();
            if (incident != null) {
                first.putIfAbsent(incident, stored.entry().id());
                last.put(incident, stored.entry().id());
            }
        }
        Set<String> kept = new HashSet<>(first.values());
        kept.addAll(last.values());
        if (!oldestFirst.isEmpty()) {
            // What has just been written is not what has to go.
            kept.add(oldestFirst.get(oldestFirst.size() - 1).entry().id());
        }
        return kept;
    }
}
