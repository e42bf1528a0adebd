package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.os.ProcessEnd;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.recovery.Counted;
import io.github.sqlitehealth.recovery.PooledCheckpoint;
import io.github.sqlitehealth.recovery.PooledPragma;
import io.github.sqlitehealth.recovery.RescueCopies;
import io.github.sqlitehealth.recovery.RescueRemains;
import io.github.sqlitehealth.witness.Anchor;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts together what a database needs in case this process is stranded on it. */
final class StrandedFactory {

    /** The one logger of what is done for the rows, so that it can be routed. */
    private static final Logger rescueLog = LoggerFactory.getLogger("io.github.sqlitehealth.rescue");

    private final Settings.WhileStranded rules;
    private final RescueWatch watch;
    private final Volumes volumes;
    private final IntConsumer halt;

    StrandedFactory(Settings.WhileStranded rules, RescueWatch watch, Volumes volumes) {
        this(rules, watch, volumes, ProcessEnd::halt);
    }

    /** @param halt ends this process */
    StrandedFactory(Settings.WhileStranded rules, RescueWatch watch, Volumes volumes, IntConsumer halt) {
        this.rules = rules;
        this.watch = watch;
        this.volumes = volumes;
        this.halt = halt;
    }

    Stranded of(
            Database database,
            ForensicsDirectory directory,
            Anchor anchor,
            List<LiveHandles> handles,
            Ledger ledger,
            Desk desk,
            Supplier<Look> look,
            Timepiece time) {
        sweep(database, directory);
        Path file = database.file();
        PooledPragma noCheckpoints = PooledPragma.noCheckpoints(handles, watch.threads());
        Function<Look, Rescue> incidents = first -> {
            Consumer<String> tell = line -> rescueLog.warn(
                    "{} sqlite-health: rescue [{}]: {}; file {}", time.now().at(), database.name(), line, file);
            return new Rescue(
                    file,
                    anchor,
                    handles,
                    rules.freeze(),
                    PooledPragma.noWrites(handles, watch.threads()),
                    new PooledCheckpoint(handles, watch.threads()),
                    new CopyRounds(
                            rules.rescue(),
                            new RescueCopies(directory, anchor, volumes, rules.rescueMaxSize(), time),
                            time,
                            tell),
                    ledger::rescued,
                    tell,
                    () -> desk.snapshot("rescue", look.get()),
                    first);
        };
        Function<Rescue, Farewell> farewells = rescue ->
                new Farewell(rescue, rules.freeze() ? noCheckpoints::set : noCheckpoints::look, () -> watch.held(file));
        Halting halting = rules.halt() ? new Halting(halt) : null;
        return new Stranded(file, watch, new Freeze(rules.freeze(), noCheckpoints), incidents, farewells, halting);
    }

    private static void sweep(Database database, ForensicsDirectory directory) {
        RescueRemains.sweep(directory);
        List<Path> copies = RescueRemains.copies(directory);
        if (!copies.isEmpty()) {
            rescueLog.warn(
                    "{} of earlier incidents of {} in {}: rows in them may be in no other place",
                    Counted.of(copies.size(), "rescue copy"),
                    database.file(),
                    directory.path());
        }
    }
}
