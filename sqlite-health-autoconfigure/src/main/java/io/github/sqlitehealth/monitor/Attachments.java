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
    private final Map<Path, Known> known = new HashMap<>();

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
        known.entrySet().removeIf(entry -> {
            boolean gone = !seen.containsKey(entry.getKey()) && entry.getValue().missed() + 1 >= GONE;
            if (gone) {
                detached.accept(entry.getValue().name());
            }
            return gone;
        });
        known.replaceAll((file, before) -> new Known(before.name(), seen.containsKey(file) ? 0 : before.missed() + 1));
        seen.forEach((file, attachment) -> {
            if (!known.containsKey(file)) {
                String name = owner.name() + "." + attachment.schema();
                known.put(file, new Known(name, 0));
                attached.accept(
                        new Database(name, file, owner.sqliteVersion(), null, grow -> attachment.handles(file)));
            }
        });
    }

    /** The names of all, when the database that they are attached to is watched no longer. */
    void detachAll() {
        known.values().forEach(each -> detached.accept(each.name()));
        known.clear();
    }
}
