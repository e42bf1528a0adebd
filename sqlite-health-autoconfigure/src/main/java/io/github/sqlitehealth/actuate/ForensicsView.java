package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One database as the endpoint shows it: its state, its incidents and its snapshots. */
final class ForensicsView {

    private ForensicsView() {}

    static Map<String, Object> of(WatchedDatabase database) {
        MonitorState state = database.state();
        Map<String, Object> shown = new LinkedHashMap<>(StateView.of(database).details());
        shown.put("dataSources", state.dataSources());
        List<Object> incidents = new ArrayList<>();
        state.incidents().forEach(incident -> incidents.add(incident(incident)));
        if (state.incident() != null) {
            incidents.add(incident(state.incident()));
        }
        shown.put("incidents", incidents);
        shown.put(
                "snapshots",
                state.snapshots().stream().map(ForensicsView::snapshot).toList());
        return shown;
    }

    private static Map<String, Object> incident(Incident incident) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", incident.id());
        shown.put("since", incident.since().toString());
        if (incident.until() != null) {
            shown.put("until", incident.until().toString());
        }
        shown.put("verdicts", incident.verdicts());
        return shown;
    }

    private static Map<String, Object> snapshot(SnapshotEntry entry) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("id", entry.id());
        shown.put("at", entry.at().toString());
        shown.put("reason", entry.reason());
        shown.put("verdict", entry.verdict());
        if (entry.incident() != null) {
            shown.put("incident", entry.incident());
        }
        return shown;
    }
}
