package io.github.sqlitehealth.actuate;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupNote;
import io.github.sqlitehealth.recovery.CopyFacts;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/** Backups as health and endpoint show them. */
final class BackupView {

    private BackupView() {}

    /** What health says: from memory. */
    static Map<String, Object> of(BackupState state, Moment now) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Moment last = state.lastVerified();
        Duration age = state.age(now);
        if (last != null && age != null) {
            shown.put("lastVerified", last.at().toString());
            shown.put("age", age.truncatedTo(ChronoUnit.SECONDS).toString());
        }
        if (state.why() != null) {
            shown.put("why", state.why());
        }
        if (state.failed() != null) {
            shown.put("failed", state.failed());
        }
        return shown;
    }

    /** The state of one database, without a look into its directory. */
    static Map<String, Object> of(WatchedDatabase database) {
        BackupState state = database.backups().state();
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("database", database.name());
        shown.put("file", database.state().file().toString());
        shown.put("directory", database.backups().directory().path().toString());
        shown.put("enabled", state.enabled());
        shown.putAll(of(state, database.now()));
        shown.put("failures", state.failures());
        return shown;
    }

    /** One of many. */
    static Map<String, Object> of(Backup backup) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", backup.name());
        shown.put("at", backup.at().toString());
        shown.put("verified", backup.verified());
        if (backup.why() != null) {
            shown.put("why", backup.why());
        }
        return shown;
    }

    /** All that is known of one. */
    static Map<String, Object> whole(Backup backup) {
        Map<String, Object> shown = of(backup);
        shown.put("file", backup.file().toString());
        BackupNote note = backup.note();
        if (note != null) {
            CopyFacts facts = note.facts();
            shown.put("source", note.source());
            shown.put("took", note.took().toString());
            shown.put("sqliteVersion", note.sqliteVersion());
            shown.put("bytes", facts.bytes());
            shown.put("pages", facts.pages());
            shown.put("applicationId", facts.applicationId());
            shown.put("userVersion", facts.userVersion());
            shown.put("schemaVersion", facts.schemaVersion());
            shown.put("rows", facts.rows());
            shown.put("check", facts.check());
            shown.put("sha256", facts.sha256());
        }
        return shown;
    }
}
