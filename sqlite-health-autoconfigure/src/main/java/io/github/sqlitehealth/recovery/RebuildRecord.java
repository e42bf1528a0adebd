package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is written down about a rebuild, beside the database as {@code <file>.rebuild}: that it has begun before anything is
 * done, and that it is complete when all else is done. A database that has begun and is not complete is half built.
 *
 * @param began when
 * @param why what was wrong with the database before
 * @param cleared whether what was there before is aside, so that what is there now was begun by a rebuild
 * @param halves what earlier attempts have begun, aside
 * @param completed when, absent while it is not
 */
record RebuildRecord(
        Instant began,
        String why,
        boolean cleared,
        @Nullable List<String> halves,
        @Nullable Instant completed) {

    private static final Logger log = LoggerFactory.getLogger(RebuildRecord.class);

    private static Path beside(Path database) {
        return database.resolveSibling(database.getFileName() + ".rebuild");
    }

    /**
     * The one of a rebuild that was interrupted. A record that cannot be understood proves no completion.
     *
     * @return empty when nothing is half built
     */
    static Optional<RebuildRecord> ofHalfBuilt(Path database) {
        Path file = beside(database);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Json.read(file, RebuildRecord.class)).filter(record -> record.completed == null);
        } catch (RuntimeException ex) {
            log.warn("{} cannot be understood ({}), so {} is rebuilt", file, ex.getMessage(), database);
            return Optional.of(new RebuildRecord(Instant.EPOCH, "", false, null, null));
        }
    }

    void write(Path database) throws IOException {
        DurableFiles.write(beside(database), Json.write(this));
    }

    /** @param aside what an earlier attempt has begun */
    RebuildRecord cleared(@Nullable List<String> aside) {
        return new RebuildRecord(began, why, true, aside, null);
    }

    RebuildRecord completedAt(Instant now) {
        return new RebuildRecord(began, why, cleared, halves, now);
    }
}
