package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.SqliteHealthProperties.Startup;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.DatabaseRebuilder;
import io.github.sqlitehealth.recovery.Rebuild;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import io.github.sqlitehealth.recovery.SchemaVersion;
import io.github.sqlitehealth.recovery.StartCheck;
import io.github.sqlitehealth.recovery.StartCheck.Trouble;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** What must be true of a database before the application may use it. */
final class StartRules {

    private static final Logger log = LoggerFactory.getLogger(StartRules.class);

    private static final String PREFIX = "sqlite.health.";

    private final SqliteHealthProperties properties;
    private final Settings settings;
    private final Timepiece time;
    private final StartRecovery recovery;
    private final ObjectProvider<DatabaseRebuilder> rebuilders;

    StartRules(
            SqliteHealthProperties properties,
            Settings settings,
            Timepiece time,
            ObjectProvider<DatabaseRebuilder> rebuilders) {
        this.properties = properties;
        this.settings = settings;
        this.time = time;
        this.rebuilders = rebuilders;
        this.recovery = new StartRecovery(properties, settings);
    }

    boolean excludes(String name) {
        return properties.exclude().contains(name);
    }

    /**
     * @param all names of the DataSources of the application
     * @throws DatabaseRefusedException when the application must not start on it
     */
    void apply(String name, Path file, DataSource dataSource, Set<String> all) {
        recovery.apply(name, file, all);
        Startup startup = properties.startup();
        Optional<DatabaseRebuilder> rebuilder = rebuilders.stream()
                .filter(candidate -> candidate.database().equals(name))
                .findFirst();
        if (rebuilder.isPresent()) {
            rebuild(name, file, dataSource, rebuilder.get());
        } else if (startup.failFast()) {
            trouble(name, file).ifPresent(trouble -> {
                throw refusal(name, file, trouble, settings.forensicsOf(name, file));
            });
        }
        if (startup.maxUserVersion() != null) {
            refuseNewer(name, file, startup.maxUserVersion());
        }
    }

    /** @throws BadPropertyException when something was to be done to a database that there is not */
    void refuseUnlessMet(Set<String> names) {
        recovery.refuseUnlessMet(names);
    }

    private Optional<Trouble> trouble(String name, Path file) {
        Memory memory = new Memory(settings.forensicsOf(name, file), file, time.clock());
        return new StartCheck(
                        file,
                        memory.recall(),
                        settings.content().of(name),
                        check -> check == Check.FULL ? settings.fullTimeout() : settings.quickTimeout(),
                        time)
                .ask(properties.startup().check() == Startup.FirstCheck.FULL ? Check.FULL : Check.QUICK);
    }

    private void rebuild(String name, Path file, DataSource dataSource, DatabaseRebuilder rebuilder) {
        Rebuild rebuild = new Rebuild(file, rebuilder, time);
        Optional<String> why = rebuild.why(trouble(name, file));
        if (why.isEmpty()) {
            return;
        }
        try {
            rebuild.run(why.get(), () -> recovery.moveAside(name, file), dataSource, settings.fullTimeout());
        } catch (IOException | SQLException | RuntimeException | RestoreRefusedException ex) {
            throw new DatabaseRefusedException(
                    "The database " + file + " of the DataSource \"" + name + "\" could not be rebuilt (" + why.get()
                            + "): " + ex,
                    "What was there has been moved aside or is still in its place. Correct the cause and start again: the"
                            + " rebuild begins anew.");
        }
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
        Optional<Backup> latest = backups(description, name, file);
        return new DatabaseRefusedException(
                description.toString().stripTrailing(),
                "Nothing has been changed. " + action(trouble.verdict(), latest));
    }

    private Optional<Backup> backups(StringBuilder description, String name, Path file) {
        BackupDirectory directory = recovery.backups(name, file);
        List<Backup> all;
        try {
            all = directory.list();
        } catch (UncheckedIOException ex) {
            line(description, "Backups", String.valueOf(ex.getMessage()));
            return Optional.empty();
        }
        Optional<Backup> latest = all.stream().filter(Backup::verified).findFirst();
        String newest = latest.map(backup -> ", the newest verified one is " + backup.name())
                .orElse(", none of them verified");
        line(
                description,
                "Backups",
                all.isEmpty() ? "none in " + directory.path() : all.size() + " in " + directory.path() + newest);
        return latest;
    }

    private String action(Verdict verdict, Optional<Backup> latest) {
        if (verdict == Verdict.UNREADABLE) {
            return "Check disk, mount and permissions, and start again.";
        }
        String before = recovery.honouredBefore();
        if (before != null) {
            return "What " + PREFIX + "recovery.* asks for has been done before and is not done twice (" + before
                    + "). Name another copy, or run the command restore, which does it again.";
        }
        String fresh = PREFIX + "recovery.start-fresh=true";
        String file = PREFIX + "recovery.restore-from=<file>";
        String way = latest.map(backup -> PREFIX + "recovery.restore-from=latest to restore " + backup.name() + ", "
                        + file + " to restore another copy, or ")
                .orElse(file + " to restore a copy of your own, or ");
        return "For one start, set " + way + fresh
                + " to begin with a new database; the present file is moved aside, not deleted. To start in spite of it,"
                + " set " + PREFIX + "startup.fail-fast=false.";
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
