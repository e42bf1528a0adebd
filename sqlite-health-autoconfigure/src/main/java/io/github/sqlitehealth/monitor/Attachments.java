package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.witness.LiveWitness;
import io.github.sqlitehealth.witness.LiveWitness.Attachment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The databases that the application's connections have attached beside the one they were opened on. Each is watched in
 * its own right, under {@code <database>.<schema>}, until no connection that was asked has it any more, twice.
 */
final class Attachments {

    private static final int GONE = 2;

    private final Database owner;
    private final Consumer<Database> attached;
    private final Consumer<String> detached;
    private Map<Path, Known> known = Map.of();

    /**
     * @param attached is told of a database that is attached from now on
     * @param detached is told the name of one that is not any more
     */
    Attachments(Database owner, Consumer<Database> attached, Consumer<String> detached) {
        this.owner = owner;
        this.attached = attached;
        this.detached = detached;
    }

    private record Known(String name, int missed) {}

    /** Compares what connections were just seen to have attached with what is known. */
    void update(LiveWitness live) {
        if (!live.anyAsked()) {
            return;
        }
        Map<Path, Attachment> seen = live.attached();
        Map<Path, Known> next = new HashMap<>();
        known.forEach((file, before) -> {
            int missed = seen.containsKey(file) ? 0 : before.missed() + 1;
            if (missed < GONE) {
                next.put(file, new Known(before.name(), missed));
            } else {
                detached.accept(before.name());
            }
        });
        seen.forEach((file, attachment) -> {
            if (!next.containsKey(file)) {
                String name = owner.name() + "." + attachment.schema();
                next.put(file, new Known(name, 0));
                attached.accept(
                        new Database(name, file, false, owner.sqliteVersion(), null, grow -> attachment.handles(file)));
            }
        });
        known = Map.copyOf(next);
    }

    /** The names of all, when the database that they are attached to is watched no longer. */
    void detachAll() {
        known.values().forEach(each -> detached.accept(each.name()));
        known = Map.of();
    }
}
