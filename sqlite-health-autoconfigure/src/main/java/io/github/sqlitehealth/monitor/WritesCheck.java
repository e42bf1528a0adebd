package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.witness.StatementErrors;
import io.github.sqlitehealth.witness.Timepiece;
import io.github.sqlitehealth.witness.WritesWitness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether the application's writes land, and what follows. Errors come on its threads, the looks are on ours. */
final class WritesCheck {

    private final WritesWitness writes;
    private final IdentityCheck identity;
    private final Ledger ledger;
    private final Desk desk;
    private final MonitorListener listener;
    private final Timepiece time;
    private volatile StatementErrors.Listener failures = pages -> {};
    private final StatementErrors.Listener onError = pages -> failures.failed(pages);

    WritesCheck(
            WritesWitness writes,
            IdentityCheck identity,
            Ledger ledger,
            Desk desk,
            MonitorListener listener,
            Timepiece time) {
        this.writes = writes;
        this.identity = identity;
        this.ledger = ledger;
        this.desk = desk;
        this.listener = listener;
        this.time = time;
    }

    /** Errors of one more pool count; absent where they cannot be seen. */
    void add(@Nullable StatementErrors errors) {
        if (errors != null) {
            writes.add(errors);
            errors.listen(onError);
        }
    }

    /** Errors of a pool count no longer. */
    void remove(@Nullable StatementErrors errors) {
        if (errors != null) {
            errors.unlisten(onError);
            writes.remove(errors);
        }
    }

    /** Nobody hears of errors any more. */
    void unlisten() {
        writes.sources().forEach(source -> source.unlisten(onError));
    }

    /** The last look has been taken. */
    void retire() {
        writes.retire();
    }

    /** Who is told when a statement of the application fails for want of storage. */
    void onFailures(StatementErrors.Listener listener) {
        failures = listener;
    }

    /** Whether there are errors that no commit has followed. */
    boolean waiting() {
        return writes.waiting();
    }

    /** Looks whether a commit has landed since. The new connection that this takes is not for a stranded process. */
    void look() {
        if (identity.stranded()) {
            return;
        }
        Testimony said = writes.ask();
        Moment now = time.now();
        Change change = ledger.heardWrites(said, now);
        listener.heard(change.after().database(), said);
        desk.follow(change, identity.last(), now, change.found().isEmpty() ? null : "verdict");
    }

    List<StatementErrors> sources() {
        return writes.sources();
    }

    void close() {
        writes.close();
    }
}
