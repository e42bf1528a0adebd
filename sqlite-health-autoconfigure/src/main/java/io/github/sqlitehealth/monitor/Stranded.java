package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.witness.Look;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this process is stranded on one database, or may be, and what that sets going. Those who look call it and never
 * wait here: the work is done by the threads of {@link RescueWatch}.
 */
final class Stranded {

    private static final Logger log = LoggerFactory.getLogger(Stranded.class);

    private final Path file;
    private final RescueWatch watch;
    private final Freeze freeze;
    private final Function<Look, Rescue> incidents;
    private final Function<Rescue, Farewell> farewells;
    private final @Nullable Halting halting;

    private volatile boolean suspected;
    private volatile @Nullable Rescue rescue;
    private @Nullable Farewell farewell;
    private boolean keeps;

    /**
     * @param file the main file
     * @param incidents begins a new one
     * @param farewells what is done at the end of one
     * @param halting absent when the process is not to be halted
     */
    Stranded(
            Path file,
            RescueWatch watch,
            Freeze freeze,
            Function<Look, Rescue> incidents,
            Function<Rescue, Farewell> farewells,
            @Nullable Halting halting) {
        this.file = file;
        this.watch = watch;
        this.freeze = freeze;
        this.incidents = incidents;
        this.farewells = farewells;
        this.halting = halting;
    }

    Path file() {
        return file;
    }

    /** It may be stranded, which will be known in less than a tenth of a second. */
    void suspect() {
        if (freeze.wanted() && !suspected && rescue == null) {
            suspected = true;
            freeze.turn();
            watch.add(this);
        }
    }

    /** What two looks agree on. One caller at a time. */
    void concluded(Look look, boolean holds) {
        Rescue present = rescue;
        boolean wasSuspected = suspected;
        suspected = false;
        if (holds && !look.stale().isEmpty()) {
            if (present == null) {
                if (!wasSuspected) {
                    freeze.turn();
                }
                present = incidents.apply(look);
                rescue = present;
                watch.add(this);
            }
            present.looked(look, freeze.look());
        } else if (present != null && !holds) {
            rescue = null;
            freeze.turn();
            present.over();
        }
    }

    void evidenceTaken() {
        Rescue present = rescue;
        if (present != null && present.evidenceTaken()) {
            watch.wake();
        }
    }

    /** One step of the freeze, or of its end. */
    Freeze.Step step() {
        Rescue present = rescue;
        return present == null && !suspected ? freeze.thaw() : freeze.step(present);
    }

    /** The incident; absent while there is none for certain. */
    @Nullable
    Rescue rescue() {
        return rescue;
    }

    void work() {
        Rescue present = rescue;
        if (present != null) {
            present.work();
            if (halting != null) {
                halting.haltWhenSaved(present, farewells.apply(present));
            }
        }
    }

    void heldBy(List<Holder> holders) {
        Rescue present = rescue;
        if (present != null) {
            present.heldBy(holders);
        }
    }

    /**
     * Whether nothing is lost when the last connection to the lost files is closed. A -wal that is gone while the main
     * file is in its place holds rows that nobody else has, also when the application has no connection open just now.
     */
    boolean mayLetGo(Look look) {
        Rescue present = rescue;
        boolean mainLost = look.stale().stream().anyMatch(stale -> stale.file() == DatabaseFile.MAIN);
        boolean walLost = look.stale().stream().anyMatch(stale -> stale.file() == DatabaseFile.WAL);
        return present == null ? mainLost || !walLost : present.mayLetGo();
    }

    /**
     * The end of the monitor, or of its interest in this database; asked again, it is the end already.
     *
     * @return whether the anchor has to stay open
     */
    synchronized boolean finish() {
        Rescue present = rescue;
        if (present != null && farewell == null) {
            farewell = farewells.apply(present);
            keeps = farewell(farewell, present);
        }
        watch.remove(this);
        if (!suspected && present == null) {
            freeze.end();
        }
        return keeps;
    }

    private boolean farewell(Farewell farewell, Rescue present) {
        try {
            return farewell.stop();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The last acts for {} failed", file, ex);
            return present.atStop().plan() == AtStop.Plan.KEEP;
        }
    }

    /** The monitor begins again. */
    synchronized void resume() {
        if (farewell != null) {
            farewell.resume();
            farewell = null;
            keeps = false;
        }
        if (rescue != null) {
            watch.add(this);
        }
    }
}
