package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.BackupFailedException;
import io.github.sqlitehealth.recovery.BackupRequest;
import io.github.sqlitehealth.recovery.Backups;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Takes a backup of what is worth keeping only: after a check, and where no verdict objects. */
final class CheckedBackup {

    /** What is at the path, or what our connections see, is not the data that should be kept. */
    private static final Set<Verdict> NOT_NOW = EnumSet.of(Verdict.STRANDED, Verdict.MISSING, Verdict.EMPTIED);

    private final DatabaseMonitor monitor;
    private final BackupSettings settings;
    private final BackupDirectory directory;
    private final Timepiece time;
    private final Executor checkThread;

    CheckedBackup(
            DatabaseMonitor monitor,
            BackupSettings settings,
            BackupDirectory directory,
            Timepiece time,
            Executor checkThread) {
        this.monitor = monitor;
        this.settings = settings;
        this.directory = directory;
        this.time = time;
        this.checkThread = checkThread;
    }

    Backup take(BooleanSupplier cancelled) throws BackupFailedException {
        return new Backups(time)
                .take(new BackupRequest(
                        monitor.database().name(),
                        monitor.database().file(),
                        directory,
                        settings.directory() != null,
                        settings.keep(),
                        checkFirst(),
                        settings.timeout(),
                        this::objection,
                        cancelled));
    }

    /** Whether what used to be there still is, only a check can tell; and how long a writer can bear to wait. */
    private Duration checkFirst() throws BackupFailedException {
        CompletableFuture<Duration> answer = new CompletableFuture<>();
        try {
            checkThread.execute(() -> {
                try {
                    monitor.run(Check.QUICK);
                } finally {
                    answer.complete(monitor.bearable());
                }
            });
            return answer.get(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            throw new BackupFailedException("No backup of " + monitor.database().file()
                    + " was taken: the check before it has not come to an end");
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BackupFailedException("The monitor was stopped");
        } catch (RejectedExecutionException | ExecutionException ex) {
            throw new BackupFailedException("The monitor was stopped");
        }
    }

    private @Nullable String objection() {
        monitor.identity().lookNow();
        return monitor.state().latch().held().stream()
                .map(Held::finding)
                .filter(finding -> NOT_NOW.contains(finding.verdict()))
                .findFirst()
                .map(finding -> monitor.database().file() + " is " + finding.verdict() + ": " + finding.text())
                .orElse(null);
    }
}
