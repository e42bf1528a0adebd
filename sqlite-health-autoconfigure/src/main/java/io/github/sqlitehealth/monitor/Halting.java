package io.github.sqlitehealth.monitor;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Ends a stranded process for good, once its evidence and its rows are safe, so that an orchestrator restarts it. */
final class Halting {

    /** The exit code: EX_SOFTWARE of sysexits.h. */
    static final int CODE = 70;

    private final IntConsumer halt;

    Halting(IntConsumer halt) {
        this.halt = halt;
    }

    void haltWhenSaved(Rescue rescue, Farewell farewell) {
        if (!rescue.hasEvidence()) {
            return;
        }
        @Nullable String objection = farewell.objectionToHalt();
        rescue.failed(objection);
        if (objection == null) {
            rescue.tell("the process is halted with exit code " + CODE + " (sqlite.health.stranded.halt): "
                    + farewell.merge());
            rescue.snapshot();
            halt.accept(CODE);
        }
    }
}
