package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.BackupFailedException;
import io.github.sqlitehealth.recovery.CopyFacts;
import io.github.sqlitehealth.witness.Timepiece;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the backups of one database, when they are due or somebody asks for one. Works on the thread for backups. */
final class BackupDuty implements DatabaseBackups {

    private static final Logger log = LoggerFactory.getLogger(BackupDuty.class);

    private final DatabaseMonitor monitor;
    private final Settings settings;
    private final MonitorListener listener;
    private final Timepiece time;
    private final Executor backupThread;
    private final Executor checkThread;

    /** Made when it is first asked for: of a thousand databases without backups it would be a thousand times for nothing. */
    private @Nullable BackupDirectory directory;

    private final NewestBackup newest;
    private final BackupPlan plan;

    private volatile BackupState state;
    private volatile boolean cancelled;
    private volatile boolean working;
    private @Nullable CompletableFuture<Backup> running;

    BackupDuty(
            DatabaseMonitor monitor,
            Settings settings,
            MonitorListener listener,
            Timepiece time,
            Executor checkThread,
            Executor backupThread) {
        this.monitor = monitor;
        this.settings = settings;
        this.listener = listener;
        this.time = time;
        this.backupThread = backupThread;
        this.checkThread = checkThread;
        this.plan = new BackupPlan(settings.backup());
        this.newest = new NewestBackup(monitor.database().file());
        this.state = BackupState.of(settings.backup().enabled());
    }

    @Override
    public BackupState state() {
        return state;
    }

    @Override
    public synchronized BackupDirectory directory() {
        BackupDirectory present = directory;
        if (present == null) {
            present = settings.backup()
                    .of(monitor.database().name(), monitor.database().file());
            directory = present;
        }
        return present;
    }

    @Override
    public CompletableFuture<Backup> now() {
        CompletableFuture<Backup> answer;
        synchronized (this) {
            if (running != null) {
                return running;
            }
            answer = begin();
        }
        try {
            backupThread.execute(() -> work(answer));
        } catch (RejectedExecutionException ex) {
            end(answer, null, ex);
        }
        return answer;
    }

    private synchronized CompletableFuture<Backup> begin() {
        CompletableFuture<Backup> answer = new CompletableFuture<>();
        running = answer;
        return answer;
    }

    private void end(CompletableFuture<Backup> answer, @Nullable Backup backup, @Nullable Throwable failure) {
        synchronized (this) {
            if (running == answer) {
                running = null;
            }
        }
        if (failure != null) {
            answer.completeExceptionally(failure);
        } else {
            answer.complete(backup);
        }
    }

    @Override
    public List<Backup> list() {
        List<Backup> all = directory().list();
        publish(all.stream().filter(Backup::verified).findFirst().orElse(null));
        return all;
    }

    /** Takes one if one is due, by the age of the last verified one on the disk, and tells when to come again. */
    Duration round() {
        if (newest.isLost()) {
            publish();
            look();
        }
        if (plan.isDue(state, time.now())) {
            look();
        }
        if (!plan.isDue(state, time.now())) {
            return plan.untilNextLook(state, time.now());
        }
        CompletableFuture<Backup> answer;
        synchronized (this) {
            if (running != null) {
                return BackupRounds.SOON;
            }
            answer = begin();
        }
        work(answer);
        plan.tried(time.now());
        return plan.untilNextLook(state, time.now());
    }

    private void work(CompletableFuture<Backup> answer) {
        working = true;
        try {
            Backup backup =
                    new CheckedBackup(monitor, settings.backup(), directory(), time, checkThread).take(() -> cancelled);
            look();
            succeeded(backup);
            end(answer, backup, null);
        } catch (BackupFailedException ex) {
            failed(ex);
            end(answer, null, ex);
        } catch (RuntimeException | LinkageError ex) {
            log.warn(
                    "The backup of {} failed; the next one will be tried",
                    monitor.database().file(),
                    ex);
            failed(ex.toString());
            end(answer, null, ex);
        } finally {
            working = false;
        }
    }

    /** Looks for the newest verified one, which may be of an earlier process. */
    void look() {
        publish(directory().latestVerified().orElse(null));
    }

    private synchronized void publish(@Nullable Backup last) {
        newest.found(last);
        publish();
    }

    private synchronized void publish() {
        Backup last = newest.backup();
        CopyFacts facts = last == null ? null : last.facts();
        state = state.verified(
                last == null ? null : time.now().recall(last.at()), facts == null ? 0 : facts.bytes(), newest.why());
    }

    private void succeeded(Backup backup) {
        if (state.failed() != null) {
            log.info("Backups of {} succeed again", monitor.database().file());
        }
        synchronized (this) {
            state = state.succeeded();
        }
        if (backup.note() != null) {
            log.info(
                    "Backed up {} to {} in {}",
                    monitor.database().file(),
                    backup.file(),
                    backup.note().took());
            listener.backedUp(monitor.database().name(), backup.note().took());
        }
    }

    /** Said once, until one succeeds: the text may hold numbers that differ each time. */
    private void failed(BackupFailedException failure) {
        if (cancelled || failure.busy()) {
            log.info(failure.getMessage());
            return;
        }
        if (state.failed() == null) {
            log.warn("{} (said once, until one succeeds)", failure.getMessage());
        }
        failed(failure.getMessage());
    }

    private synchronized void failed(@Nullable String why) {
        state = state.failed(String.valueOf(why));
    }

    /** Nothing is taken any more; one that is being taken is given up. */
    void cancel() {
        cancelled = true;
        CompletableFuture<Backup> open;
        synchronized (this) {
            open = running;
        }
        if (open != null) {
            end(open, null, new RejectedExecutionException("The monitor was stopped"));
        }
    }

    boolean isWorking() {
        return working;
    }

    /** After a stop. */
    void resume() {
        cancelled = false;
    }
}
