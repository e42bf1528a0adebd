package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.SqliteHealthProperties.Startup;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.recovery.SchemaVersion;
import io.github.sqlitehealth.recovery.StartCheck;
import io.github.sqlitehealth.recovery.StartCheck.Trouble;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What must be true of a database before the application may use it. */
final class StartRules {

    private static final Logger log = LoggerFactory.getLogger(StartRules.class);

    private static final String PREFIX = "sqlite.health.";

    private final SqliteHealthProperties properties;
    private final Settings settings;
    private final Timepiece time;

    StartRules(SqliteHealthProperties properties, Settings settings, Timepiece time) {
        this.properties = properties;
        this.settings = settings;
        this.time = time;
    }

    boolean excludes(String name) {
        return properties.exclude().contains(name);
    }

    /** @throws DatabaseRefusedException when the application must not start on it */
    void apply(String name, Path file) {
        Startup startup = properties.startup();
        if (startup.failFast()) {
            refuseTrouble(name, file);
        }
        if (startup.maxUserVersion() != null) {
            refuseNewer(name, file, startup.maxUserVersion());
        }
    }

    private void refuseTrouble(String name, Path file) {
        ForensicsDirectory directory = settings.forensicsOf(name, file);
        Memory memory = new Memory(directory, file, time.clock());
        new StartCheck(
                        file,
                        memory.recall(),
                        settings.content().of(name),
                        check -> check == Check.FULL ? settings.fullTimeout() : settings.quickTimeout(),
                        time)
                .ask(properties.startup().check() == Startup.FirstCheck.FULL ? Check.FULL : Check.QUICK)
                .ifPresent(trouble -> {
                    throw refusal(name, file, trouble, directory);
                });
    }

    private DatabaseRefusedException refusal(String name, Path file, Trouble trouble, ForensicsDirectory directory) {
        StringBuilder description = new StringBuilder();
        description
                .append("The database of the DataSource \"")
                .append(name)
                .append("\" is ")
                .append(trouble.verdict())
                .append(", and ")
                .append(PREFIX)
                .append("startup.fail-fast is true.\n\n");
        line(description, "File", file.toString());
        line(description, "What", trouble.text());
        line(
                description,
                "Since",
                trouble.since() == null ? "found at this start" : trouble.since() + " (an earlier run)");
        line(description, "Evidence", directory.path().toString());
        String action = "Nothing has been changed. "
                + (trouble.verdict() == Verdict.UNREADABLE
                        ? "Check disk, mount and permissions, and start again."
                        : "To start with an empty database, set " + PREFIX
                                + "recovery.start-fresh=true for one start; the present file is moved aside, not deleted.");
        return new DatabaseRefusedException(description.toString().stripTrailing(), action);
    }

    private static void line(StringBuilder description, String what, String text) {
        description
                .append("    ")
                .append(String.format("%-9s", what))
                .append(text)
                .append('\n');
    }

    private void refuseNewer(String name, Path file, long supported) {
        String query = properties.startup().schemaVersionQuery();
        OptionalLong version;
        try {
            version = SchemaVersion.of(file, query);
        } catch (SQLException ex) {
            log.warn("The version of {} cannot be told before the start ({}): {}", file, query, ex.getMessage());
            return;
        }
        if (version.isPresent() && version.getAsLong() > supported) {
            throw new DatabaseRefusedException(
                    "The database " + file + " of the DataSource \"" + name + "\" has version " + version.getAsLong()
                            + " (" + query + "), and this application supports " + supported + " at most ("
                            + PREFIX + "startup.max-user-version).",
                    "Nothing has been changed. Start the newer application that has written this database, or restore"
                            + " a backup from before its migration.");
        }
    }
}
