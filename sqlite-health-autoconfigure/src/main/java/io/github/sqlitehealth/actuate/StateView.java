package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of one database as health and endpoint show it, at the moment in which somebody asks.
 *
 * @param verdict what holds
 * @param details everything that is said of it
 */
record StateView(Verdict verdict, Map<String, Object> details) {

    static StateView of(WatchedDatabase database) {
        MonitorState state = database.state();
        Moment now = database.now();
        Latch latch = state.latchAt(now);
        Held first = latch.first();
        Verdict verdict = latch.verdict();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("database", state.database());
        details.put("file", state.file().toString());
        details.put("verdict", verdict.name());
        details.put(
                "findings",
                latch.held().stream()
                        .map(held -> held.finding().verdict().name())
                        .distinct()
                        .toList());
        details.put("confirmed", first == null || first.finding().confirmed());
        if (first != null) {
            details.put("since", first.since().at().toString());
        }
        details.put(
                "latchedFor",
                MonitorState.latchedFor(latch, now)
                        .truncatedTo(ChronoUnit.MILLIS)
                        .toString());
        details.put("summary", summary(verdict, first));
        details.put("action", verdict.action());
        details.put("witnesses", witnesses(state.testimonies()));
        putTime(details, "lastTick", lastTick(state));
        putTime(details, "lastQuickCheck", state.ticks().get(Check.QUICK));
        putTime(details, "lastFullCheck", state.ticks().get(Check.FULL));
        BackupState backups = database.backups().state();
        if (backups.enabled()) {
            details.put("backup", BackupView.of(backups, now));
        }
        details.put("snapshots", snapshots(state));
        details.put(
                "hazards",
                state.hazards().stream()
                        .map(hazard -> Map.of("name", hazard.name(), "text", hazard.text()))
                        .toList());
        return new StateView(verdict, details);
    }

    private static String summary(Verdict verdict, @Nullable Held first) {
        if (first == null) {
            return verdict.meaning() + ".";
        }
        String doubt = first.finding().confirmed() ? "" : " (not confirmed by a second connection)";
        return verdict.meaning() + doubt + ": " + first.finding().text() + ".";
    }

    private static Map<String, Object> witnesses(Map<Witness, Testimony> testimonies) {
        Map<String, Object> witnesses = new LinkedHashMap<>();
        for (Witness witness : Witness.values()) {
            Testimony said = testimonies.get(witness);
            witnesses.put(witness.key(), said == null ? notAsked() : said(said));
        }
        return witnesses;
    }

    private static Map<String, Object> notAsked() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("says", Answer.UNASKED.name());
        shown.put("text", "nobody has asked yet");
        return shown;
    }

    private static Map<String, Object> said(Testimony said) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("says", said.says().name());
        shown.put("text", said.text());
        shown.put("at", said.at().at().toString());
        shown.put("took", said.took().toString());
        return shown;
    }

    private static @Nullable Moment lastTick(MonitorState state) {
        return state.ticks().values().stream()
                .reduce((one, other) -> one.isAfter(other) ? one : other)
                .orElse(null);
    }

    private static void putTime(Map<String, Object> details, String name, @Nullable Moment moment) {
        if (moment != null) {
            Instant at = moment.at();
            details.put(name, at.toString());
        }
    }

    private static Map<String, Object> snapshots(MonitorState state) {
        int count = state.snapshots().size();
        Map<String, Object> snapshots = new LinkedHashMap<>();
        snapshots.put("count", count);
        if (count > 0) {
            snapshots.put("latest", state.snapshots().get(count - 1).id());
        }
        return snapshots;
    }
}
