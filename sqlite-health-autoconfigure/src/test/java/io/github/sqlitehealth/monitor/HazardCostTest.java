package io.github.sqlitehealth.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.forensics.Forensics;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.MappedFiles;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.ContentRules;
import io.github.sqlitehealth.witness.LiveHandle;
import io.github.sqlitehealth.witness.LiveHandles;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One round for 1,000 databases, each in a folder of its own. */
class HazardCostTest {

    private static final int DATABASES = 1000;

    @TempDir
    Path folder;

    /** Nobody asks: a round reads no SQL. */
    private record NoHandles() implements LiveHandles {

        @Override
        public @Nullable LiveHandle take(Set<String> not) {
            throw new AssertionError("a connection was asked for");
        }

        @Override
        public Set<String> open() {
            return Set.of();
        }

        @Override
        public boolean replaceAll() {
            return false;
        }

        @Override
        public boolean mayBeOpen() {
            return false;
        }
    }

    @Test
    void aRoundForAThousandDatabasesTakesLessThanASecond() throws Exception {
        Holders holders = new Holders();
        OwnDescriptors own = new OwnDescriptors();
        Settings settings = settings();
        Timepiece time = Timepiece.system();
        Forensics forensics = new Forensics(holders, new Volumes(), settings.holdersTimeout(), time.clock());
        List<DatabaseMonitor> databases = new ArrayList<>();
        Path real = folder.toRealPath();
        for (int i = 0; i < DATABASES; i++) {
            Path tenant = Files.createDirectories(real.resolve("tenant-" + i));
            Path file = Files.write(tenant.resolve("app.db"), new byte[4096]);
            Files.write(tenant.resolve("app.db-wal"), new byte[4096]);
            Files.write(tenant.resolve("app.db-shm"), new byte[4096]);
            Database database = new Database("db" + i, file, false, "3.53.4", null, grow -> new NoHandles());
            databases.add(new DatabaseMonitor(
                    database,
                    settings,
                    settings.readLimits(),
                    settings.retention(),
                    forensics,
                    own,
                    own.allLocks(),
                    holders,
                    new MonitorListener() {},
                    time,
                    new StrandedFactory(
                            settings.stranded(), new RescueWatch(holders, settings.holdersTimeout()), new Volumes()),
                    attached -> {},
                    detached -> {}));
        }
        HazardRounds rounds = new HazardRounds(holders, new Volumes(), new MappedFiles(), settings.holdersTimeout());
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            long start = System.nanoTime();
            rounds.look(databases);
            millis.add((System.nanoTime() - start) / 1_000_000);
        }
        System.out.println("Rounds for " + DATABASES + " databases, in milliseconds: " + millis);
        assertThat(databases).allMatch(database -> database.state().hazards().isEmpty());
        assertThat(millis.stream().sorted().toList().get(3)).isLessThan(1000);
    }

    private Settings settings() {
        return new Settings(
                Duration.ofSeconds(1),
                Duration.ZERO,
                false,
                Duration.ofMinutes(10),
                Duration.ZERO,
                Duration.ofSeconds(30),
                2,
                Duration.ofSeconds(1),
                Duration.ofHours(24),
                Duration.ofMinutes(10),
                0.05,
                false,
                ContentRules.NONE,
                List.of(),
                false,
                Duration.ofMinutes(30),
                Duration.ofMinutes(30),
                Check.QUICK,
                folder.resolve("forensics"),
                200,
                64 << 20,
                Duration.ofSeconds(2),
                BackupSettings.OFF,
                new Settings.WhileStranded(true, true, 2L << 30, false));
    }
}
