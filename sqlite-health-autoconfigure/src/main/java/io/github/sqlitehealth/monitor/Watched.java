package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The face of one database towards readers. */
final class Watched implements WatchedDatabase {

    /** Something that the check thread does. */
    interface Work {
        void run() throws InterruptedException;
    }

    private final DatabaseMonitor monitor;
    private final Executor checkThread;
    private final Map<Check, CompletableFuture<MonitorState>> running = new EnumMap<>(Check.class);
    private final Set<CompletableFuture<MonitorState>> awaited = ConcurrentHashMap.newKeySet();

    Watched(DatabaseMonitor monitor, Executor checkThread) {
        this.monitor = monitor;
        this.checkThread = checkThread;
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

    /** What was asked for and has not been done will not be done any more. */
    void stopped() {
        awaited.forEach(
                answer -> answer.completeExceptionally(new RejectedExecutionException("The monitor was stopped")));
    }

    private void submit(CompletableFuture<MonitorState> answer, Work work) {
        awaited.add(answer);
        answer.whenComplete((state, failure) -> awaited.remove(answer));
        try {
            checkThread.execute(() -> {
                try {
                    work.run();
                    answer.complete(monitor.state());
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                    answer.completeExceptionally(ex);
                } catch (RuntimeException | LinkageError ex) {
                    answer.completeExceptionally(ex);
                }
            });
        } catch (RejectedExecutionException ex) {
            answer.completeExceptionally(ex);
        }
    }
}
