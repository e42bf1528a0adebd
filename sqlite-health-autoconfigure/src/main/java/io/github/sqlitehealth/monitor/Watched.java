package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The face of one database towards readers. */
final class Watched implements WatchedDatabase {

    private final DatabaseMonitor monitor;
    private final BackupDuty backups;
    private final Executor checkThread;
    private final Map<Check, CompletableFuture<MonitorState>> running = new EnumMap<>(Check.class);
    private final Set<CompletableFuture<MonitorState>> awaited = ConcurrentHashMap.newKeySet();

    Watched(DatabaseMonitor monitor, BackupDuty backups, Executor checkThread) {
        this.monitor = monitor;
        this.backups = backups;
        this.checkThread = checkThread;
    }

    DatabaseMonitor monitor() {
        return monitor;
    }

    @Override
    public String name() {
        return monitor.database().name();
    }

    @Override
    public List<String> dataSources() {
        return monitor.state().dataSources();
    }

    @Override
    public MonitorState state() {
        return monitor.state();
    }

    @Override
    public Moment now() {
        return monitor.now();
    }

    @Override
    public Map<String, Long> applicationErrors() {
        if (monitor.writes().sources().stream()
                .allMatch(source -> source.counts().isEmpty())) {
            return Map.of();
        }
        Map<String, Long> counts = new TreeMap<>();
        monitor.writes()
                .sources()
                .forEach(
                        source -> source.counts().forEach((name, count) -> counts.merge(name, count.sum(), Long::sum)));
        return counts;
    }

    @Override
    public Optional<Map<String, Object>> snapshot(String id) {
        return monitor.snapshot(id);
    }

    @Override
    public CompletableFuture<MonitorState> check(Check check) {
        CompletableFuture<MonitorState> answer;
        synchronized (running) {
            CompletableFuture<MonitorState> shared = running.get(check);
            if (shared != null) {
                return shared;
            }
            answer = new CompletableFuture<>();
            running.put(check, answer);
        }
        answer.whenComplete((state, failure) -> {
            synchronized (running) {
                running.remove(check);
            }
        });
        submit(answer, () -> monitor.runOnRequest(check));
        return answer;
    }

    @Override
    public CompletableFuture<MonitorState> acceptContent() {
        CompletableFuture<MonitorState> answer = new CompletableFuture<>();
        submit(answer, monitor::acceptContent);
        return answer;
    }

    @Override
    public BackupDuty backups() {
        return backups;
    }

    /** What was asked for and has not been done will not be done any more. */
    void stopped() {
        awaited.forEach(
                answer -> answer.completeExceptionally(new RejectedExecutionException("The monitor was stopped")));
    }

    private void submit(CompletableFuture<MonitorState> answer, Runnable work) {
        awaited.add(answer);
        answer.whenComplete((state, failure) -> awaited.remove(answer));
        try {
            checkThread.execute(() -> {
                try {
                    work.run();
                    answer.complete(monitor.state());
                } catch (RuntimeException | LinkageError ex) {
                    answer.completeExceptionally(ex);
                }
            });
        } catch (RejectedExecutionException ex) {
            answer.completeExceptionally(ex);
        }
    }
}
