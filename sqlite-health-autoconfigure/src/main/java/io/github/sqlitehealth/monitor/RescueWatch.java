package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.monitor.Freeze.Step;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.witness.ForeignHolders;
import io.github.sqlitehealth.witness.RunningRead;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two threads that exist only while this process is stranded on some database: one freezes, and must never wait for the
 * other, which takes copies and looks for other holders.
 */
final class RescueWatch {

    private static final Logger log = LoggerFactory.getLogger(RescueWatch.class);

    private static final long AT_ONCE_MILLIS = 1;
    private static final long AGAIN_MILLIS = 50;
    private static final long WORK_MILLIS = 2_000;
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private final ForeignHolders foreign;
    private final Set<Stranded> active = ConcurrentHashMap.newKeySet();
    private final RescueThread freezer = new RescueThread("sqlite-health-rescue", () -> freeze(active), this::goesOn);
    private final RescueThread worker =
            new RescueThread("sqlite-health-rescue-copies", () -> work(active), this::goesOn);
    private final ThreadPoolExecutor threads;
    private boolean running;

    RescueWatch(Holders holders, Duration holdersTimeout) {
        this.foreign = new ForeignHolders(holders, holdersTimeout);
        this.threads =
                new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), work -> {
                    Thread created = new Thread(work, "sqlite-health-freeze");
                    created.setDaemon(true);
                    return created;
                });
    }

    /** As many as there are connections, for a moment. */
    Executor threads() {
        return threads;
    }

    synchronized void start() {
        running = true;
        wake();
    }

    void add(Stranded stranded) {
        active.add(stranded);
        wake();
    }

    /** There is something to do. */
    synchronized void wake() {
        if (running && !active.isEmpty()) {
            freezer.ensure();
            worker.ensure();
            notifyAll();
        }
    }

    /** Ends the threads; a copy that is being taken is cut short, since the last one comes after it. */
    void stop() {
        Thread copying;
        synchronized (this) {
            running = false;
            copying = worker.thread();
            notifyAll();
        }
        long start = System.nanoTime();
        try {
            while (copying != null && copying.isAlive() && System.nanoTime() - start < CLOSING.toNanos()) {
                RunningRead.cancel(copying);
                copying.join(20);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    void remove(Stranded stranded) {
        active.remove(stranded);
    }

    private long freeze(Collection<Stranded> all) {
        long pause = AGAIN_MILLIS;
        for (Stranded each : all) {
            Step step = step(each);
            if (step == Step.DONE) {
                active.remove(each);
            } else if (step == Step.AT_ONCE) {
                pause = AT_ONCE_MILLIS;
            }
        }
        return pause;
    }

    /** What fails for one database keeps nobody from the others. */
    private static Step step(Stranded stranded) {
        try {
            return stranded.step();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The freeze of {} failed; it will be tried again", stranded.file(), ex);
            return Step.AGAIN;
        }
    }

    private static void work(Stranded stranded) {
        try {
            stranded.work();
        } catch (RuntimeException | LinkageError ex) {
            log.warn("The rescue of {} failed; it will be tried again", stranded.file(), ex);
        }
    }

    private long work(Collection<Stranded> all) {
        all.forEach(RescueWatch::work);
        List<Stranded> stranded =
                all.stream().filter(each -> each.rescue() != null).toList();
        Map<Path, List<Holder>> held =
                held(stranded.stream().map(Stranded::file).toList());
        stranded.forEach(each -> each.heldBy(held.getOrDefault(each.file(), List.of())));
        return WORK_MILLIS;
    }

    /** Who else holds files of this database now. */
    List<Holder> held(Path file) {
        return held(List.of(file)).getOrDefault(file, List.of());
    }

    private Map<Path, List<Holder>> held(List<Path> files) {
        try {
            return files.isEmpty() ? Map.of() : foreign.ask(files);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }

    /** Waits until the next round is due; whoever is told that there is none has ended. */
    private synchronized boolean goesOn(RescueThread thread, long pause) {
        try {
            if (running && !active.isEmpty() && pause > 0) {
                wait(pause);
            }
        } catch (InterruptedException ex) {
            running = false;
        }
        if (running && !active.isEmpty()) {
            return true;
        }
        thread.ended();
        return false;
    }
}
