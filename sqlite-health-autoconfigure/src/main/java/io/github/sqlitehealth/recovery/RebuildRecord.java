package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is written down about a rebuild, beside the database as {@code <file>.rebuild}: that it has begun before anything is
 * done, and that it is complete when all else is done. A database that has begun and is not complete is half built.
 *
 * @param began when
 * @param why what was wrong with the database before
 * @param completed when, absent while it is not
 */
record RebuildRecord(Instant began, String why, @Nullable Instant completed) {

    private static final Logger log = LoggerFactory.getLogger(RebuildRecord.class);

    private static Path beside(Path database) {
        return database.resolveSibling(database.getFileName() + ".rebuild");
    }

    /** Whether a rebuild was interrupted. A record that cannot be understood proves no completion. */
    static boolean isHalfBuilt(Path database) {
        Path file = beside(database);
        if (!Files.exists(file)) {
            return false;
        }
        try {
            return Json.readObject(file).get("completed") == null;
        } catch (RuntimeException ex) {
            log.warn("{} cannot be understood ({}), so {} is rebuilt", file, ex.getMessage(), database);
            return true;
        }
    }

    void write(Path database) throws IOException {
        Map<String, Object> content = new LinkedHashMap<>();
        content.put("began", began.toString());
        content.put("why", why);
        if (completed != null) {
            content.put("completed", completed.toString());
        }
        DurableFiles.write(beside(database), Json.write(content));
    }

    RebuildRecord completedAt(Instant now) {
        return new RebuildRecord(began, why, now);
    }
}
