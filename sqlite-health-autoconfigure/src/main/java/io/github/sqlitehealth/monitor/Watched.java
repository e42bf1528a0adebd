package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Moment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The face of one database towards readers. */
final class Watched implements WatchedDatabase {

    private final DatabaseMonitor monitor;
    private final Executor checkThread;

    /** What was asked for and has not been answered, oldest first; guarded by this. */
    private List<Asked> asked = List.of();

    /** @param check absent for what several cannot share */
    private record Asked(@Nullable Check check, CompletableFuture<MonitorState> answer) {}

    Watched(DatabaseMonitor monitor, Executor checkThread) {
        this.monitor = monitor;
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
        Asked mine;
        synchronized (this) {
            for (Asked other : asked) {
                if (other.check() == check) {
                    return other.answer();
                }
            }
            mine = await(check);
        }
        submit(mine, () -> monitor.runOnRequest(check));
        return mine.answer();
    }

    @Override
    public CompletableFuture<MonitorState> acceptContent() {
        Asked mine = await(null);
        submit(mine, monitor::acceptContent);
        return mine.answer();
    }

    /** What was asked for and has not been done will not be done any more. */
    void stopped() {
        List<Asked> left;
        synchronized (this) {
            left = asked;
        }
        left.forEach(
                each -> each.answer().completeExceptionally(new RejectedExecutionException("The monitor was stopped")));
    }

    private synchronized Asked await(@Nullable Check check) {
        Asked mine = new Asked(check, new CompletableFuture<>());
        asked = Stream.concat(asked.stream(), Stream.of(mine)).toList();
        return mine;
    }

    private synchronized void answered(Asked done) {
        asked = asked.stream().filter(each -> each != done).toList();
    }

    private void submit(Asked asked, Runnable work) {
        CompletableFuture<MonitorState> answer = asked.answer();
        answer.whenComplete((state, failure) -> answered(asked));
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
