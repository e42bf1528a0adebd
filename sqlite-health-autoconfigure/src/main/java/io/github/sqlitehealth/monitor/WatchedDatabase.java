package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A database as others see it: they read its state, and may ask for a check. Thread-safe. */
public interface WatchedDatabase {

    /** Its name. */
    String name();

    /** The beans that use it. */
    List<String> dataSources();

    /** The state that was last published. Costs a field access. */
    MonitorState state();

    /** The present moment as the monitor counts it. */
    Moment now();

    /** How often the application's statements ran into each SQLite error, by the name of its code. */
    Map<String, Long> applicationErrors();

    /** One whole snapshot, read from the disk; absent when there is none of this id. */
    Optional<Map<String, Object>> snapshot(String id);

    /**
     * Checks now, takes a snapshot and answers with the state. A request that comes while such a check runs gets its
     * answer.
     *
     * @param check QUICK or FULL
     */
    CompletableFuture<MonitorState> check(Check check);

    /** What is there now is what should be there: an emptiness was meant. */
    CompletableFuture<MonitorState> acceptContent();

    /** Its backups. */
    DatabaseBackups backups();
}
