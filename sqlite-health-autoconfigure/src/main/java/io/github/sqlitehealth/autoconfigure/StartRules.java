package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.SqliteHealthProperties.Startup;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.monitor.Settings;
import io.github.sqlitehealth.recovery.DatabaseRebuilder;
import io.github.sqlitehealth.recovery.Rebuild;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import io.github.sqlitehealth.recovery.RestoreReport;
import io.github.sqlitehealth.recovery.SchemaVersion;
import io.github.sqlitehealth.recovery.StartCheck;
import io.github.sqlitehealth.recovery.StartCheck.Trouble;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
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

    private final SqliteHealthProperties properties;
    private final Settings settings;
    private final Timepiece time;
    private final StartRecovery recovery;
    private final Rebuilders rebuilders;

    StartRules(
            SqliteHealthProperties properties,
            Settings settings,
            Timepiece time,
            ObjectProvider<DatabaseRebuilder> rebuilders) {
        this.properties = properties;
        this.settings = settings;
        this.time = time;
        this.rebuilders = new Rebuilders(rebuilders, properties.exclude());
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
        Optional<RestoreReport> before = recovery.apply(name, file, all);
        Startup startup = properties.startup();
        Optional<DatabaseRebuilder> rebuilder = rebuilders.of(name);
        if (rebuilder.isPresent()) {
            rebuild(name, file, dataSource, rebuilder.get());
        } else if (startup.failFast()) {
            StartCheck check = check(name, file);
            trouble(check).ifPresent(trouble -> {
                check.mark(trouble);
                throw new StartRefusal(name, file, recovery.backups(name, file), before.orElse(null))
                        .of(trouble, settings.forensicsOf(name, file).path());
            });
        } else {
            // The first check of the monitor then comes at once.
            before.filter(report -> report.state() == RestoreReport.State.DAMAGED)
                    .ifPresent(report ->
                            check(name, file).mark(new Trouble(Verdict.DAMAGED, report.condition(), false, null)));
        }
        if (startup.maxUserVersion() != null) {
            refuseNewer(name, file, startup.maxUserVersion(), startup.schemaVersionQuery());
        }
    }

    /**
     * Whoever asks for something and misspells the name must not believe that it has been done.
     *
     * @param names of all databases that are known
     * @param later those of them that may have routes of unknown names
     */
    void refuseUnlessMet(Set<String> names, Set<String> later) {
        recovery.refuseUnlessMet(names);
        rebuilders.refuseUnlessMet(names, later);
    }

    private StartCheck check(String name, Path file) {
        Memory memory = new Memory(settings.forensicsOf(name, file), file, time.clock());
        return new StartCheck(
                file,
                memory.recall(),
                settings.content().of(name),
                check -> check == Check.FULL ? settings.fullTimeout() : settings.quickTimeout(),
                time);
    }

    private Optional<Trouble> trouble(StartCheck check) {
        return check.ask(properties.startup().check() == Startup.FirstCheck.FULL ? Check.FULL : Check.QUICK);
    }

    private void rebuild(String name, Path file, DataSource dataSource, DatabaseRebuilder rebuilder) {
        Rebuild rebuild = new Rebuild(file, rebuilder, time);
        Optional<String> why = rebuild.why(trouble(check(name, file)));
        if (why.isEmpty()) {
            return;
        }
        try {
            rebuild.run(why.get(), half -> recovery.moveAside(name, file, half), dataSource, settings.fullTimeout());
        } catch (IOException | SQLException | RuntimeException | RestoreRefusedException ex) {
            throw new DatabaseRefusedException(
                    "The database " + file + " of the DataSource \"" + name + "\" could not be rebuilt (" + why.get()
                            + "): " + ex,
                    "What was there has been moved aside or is still in its place. Correct the cause and start again: the"
                            + " rebuild begins anew.");
        }
    }

    /** Where the query fails SQLite's own version still guards. */
    private void refuseNewer(String name, Path file, long supported, String query) {
        OptionalLong version;
        try {
            version = SchemaVersion.of(file, query);
        } catch (SQLException ex) {
            log.warn("The version of {} cannot be told before the start ({}): {}", file, query, ex.getMessage());
            if (!query.equals(Startup.USER_VERSION)) {
                refuseNewer(name, file, supported, Startup.USER_VERSION);
            }
            return;
        }
        if (version.isPresent() && version.getAsLong() > supported) {
            throw new DatabaseRefusedException(
                    "The database " + file + " of the DataSource \"" + name + "\" has version " + version.getAsLong()
                            + " (" + query + "), and this application supports " + supported + " at most ("
                            + "sqlite.health.startup.max-user-version).",
                    "Nothing has been changed. Start the newer application that has written this database, or restore"
                            + " a backup from before its migration.");
        }
    }
}
