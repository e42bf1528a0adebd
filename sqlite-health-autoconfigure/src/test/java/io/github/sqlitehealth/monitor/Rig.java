package io.github.sqlitehealth.monitor;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.fixture.FakeTime;
import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.forensics.SnapshotEntry;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.LiveHandles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** One database's monitor without its threads: the test is the check thread and the watch, and time is what it says. */
final class Rig implements AutoCloseable {

    final FakeTime time;
    final Path file;
    final String name = "db-" + UUID.randomUUID();
    final AlarmLog alarms = new AlarmLog(name);
    final List<Verdict> told = new CopyOnWriteArrayList<>();
    final List<Testimony> heard = new CopyOnWriteArrayList<>();
    final RescueWatch rescues;
    final List<Integer> halted = new CopyOnWriteArrayList<>();
    final DatabaseMonitor monitor;

    Rig(Path file, LiveHandles handles, Tuning tuning) throws InterruptedException {
        this(file, handles, tuning, new FakeTime());
    }

    Rig(Path file, LiveHandles handles, Tuning tuning, FakeTime time) throws InterruptedException {
        this.file = file;
        this.time = time;
        Holders holders = new Holders();
        Settings settings = tuning.settings();
        Forensics forensics = new Forensics(holders, new Volumes(), settings.holdersTimeout(), time);
        MonitorListener listener = new MonitorListener() {
            @Override
            public void verdictChanged(MonitorState before, MonitorState after) {
                told.add(after.verdict());
            }

            @Override
            public void heard(String database, Testimony testimony) {
                heard.add(testimony);
            }
        };
        rescues = new RescueWatch(holders, settings.holdersTimeout());
        monitor = new DatabaseMonitor(
                new Database(name, file, false, "3.x", null, mayGrow -> handles),
                settings,
                settings.readLimits(),
                settings.retention(),
                forensics,
                new OwnDescriptors(),
                new OwnDescriptors().allLocks(),
                holders,
                listener,
                time.timepiece(),
                new StrandedFactory(settings.stranded(), rescues, new Volumes(), halted::add),
                attached -> {},
                detached -> {});
        monitor.begin();
    }

    /** A small sound database in WAL mode. */
    static Path sound(Path folder) throws Exception {
        return Outside.database(folder.resolve("app.db"), 10);
    }

    Rig quick() throws InterruptedException {
        monitor.run(Check.QUICK);
        return this;
    }

    Rig full() throws InterruptedException {
        monitor.run(Check.FULL);
        return this;
    }

    Rig look() throws InterruptedException {
        monitor.identity().lookNow();
        return this;
    }

    /** Time passes as the watch sees it: it looks and pulses once a minute. */
    Rig pass(Duration duration) throws InterruptedException {
        for (long minute = 0; minute < duration.toMinutes(); minute++) {
            time.pass(Duration.ofMinutes(1));
            look();
            monitor.pulse();
        }
        return this;
    }

    MonitorState state() {
        return monitor.state();
    }

    Verdict verdict() {
        return state().verdict();
    }

    List<String> reasons() {
        return state().snapshots().stream().map(SnapshotEntry::reason).toList();
    }

    @Override
    public void close() {
        rescues.stop();
        monitor.close();
        alarms.close();
    }
}
