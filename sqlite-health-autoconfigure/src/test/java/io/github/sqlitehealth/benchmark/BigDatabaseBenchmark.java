package io.github.sqlitehealth.benchmark;

import io.github.sqlitehealth.benchmark.BusyApplication.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Prints what the checks of a database of 1 GB cost an application that writes all the time: runs with and without the
 * monitor in turn, on the same file, which tell ratios that a busy machine does not spoil.
 *
 * <p>By default there is one quick check in ten minutes, and a run with its fair share of it would last as long. So each
 * run here begins with a check, and nothing but {@code max-check-load} keeps the next one away: the interval is a second.
 * What the writers lose is what they lose while a check runs, so it is in proportion to the part of the time that checks
 * take; that part is measured, and the loss is scaled from it to the part that checks of the same length take by default.
 */
@TestMethodOrder(MethodOrderer.MethodName.class)
class BigDatabaseBenchmark {

    private static final int MEGABYTES = Integer.getInteger("benchmark.megabytes", 1024);
    private static final int PAIRS = Integer.getInteger("benchmark.pairs", 3);
    private static final Duration RUN = Duration.ofSeconds(Integer.getInteger("benchmark.seconds", 90));
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    @TempDir
    Path folder;

    /** It has its JVM for itself: in that of the tests this would silence the log that others read. */
    @BeforeAll
    static void printNothingElse() {
        System.setProperty("logging.level.root", "off");
    }

    @Test
    void a_wal() throws Exception {
        measure("wal", 3_000, 1);
    }

    @Test
    void b_rollbackJournal() throws Exception {
        measure("delete", 3_000, 1);
    }

    @Test
    void c_rollbackJournalAndThreeWritersWithShortPatience() throws Exception {
        measure("delete", 500, 3);
    }

    private void measure(String journalMode, int busyTimeout, int writers) throws Exception {
        Path database = folder.resolve("big.db");
        fill(database, journalMode);
        List<Double> ratios = new ArrayList<>();
        Outcome with = Outcome.NONE;
        Outcome without = Outcome.NONE;
        for (int pair = 0; pair < PAIRS; pair++) {
            // Whoever comes first finds another cache and another file, so they take turns.
            boolean withFirst = pair % 2 == 0;
            Outcome first = run(database, busyTimeout, writers, withFirst);
            Outcome second = run(database, busyTimeout, writers, !withFirst);
            Outcome watched = withFirst ? first : second;
            Outcome alone = withFirst ? second : first;
            ratios.add(watched.rate() / alone.rate());
            with = with.plus(watched);
            without = without.plus(alone);
        }
        ratios.sort(null);
        double load = with.checking() / with.seconds();
        double ratio = ratios.get(ratios.size() / 2);
        double took = with.checking() / Math.max(1, with.quick());
        double byDefault = Math.min(0.05, took / (took + 600));
        System.out.printf(
                Locale.ROOT,
                "%s, %d MB, %d writers with %d ms of patience: %d quick checks of %.1f s in %.0f s, %.2f %% of the time;"
                        + " writes %.4f of those without (median of %s; %.0f a second);"
                        + " by default checks take %.2f %% of the time and writes are %.4f;"
                        + " BUSY %d with, %d without%n",
                journalMode,
                Files.size(database) >> 20,
                writers,
                busyTimeout,
                with.quick(),
                took,
                with.seconds(),
                100 * load,
                ratio,
                ratios.stream()
                        .map(each -> String.format(Locale.ROOT, "%.4f", each))
                        .toList(),
                without.rate(),
                100 * byDefault,
                1 - (1 - ratio) * byDefault / load,
                with.busy(),
                without.busy());
    }

    private static Outcome run(Path database, int busyTimeout, int writers, boolean watched) throws Exception {
        return new BusyApplication(database, busyTimeout, writers)
                .run(
                        RUN,
                        WARM_UP,
                        "--sqlite.health.enabled=" + watched,
                        "--sqlite.health.quick-check.initial-delay=" + WARM_UP.toSeconds() + "s",
                        "--sqlite.health.quick-check.interval=1s");
    }

    private static void fill(Path database, String journalMode) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("pragma journal_mode = " + journalMode);
            statement.execute("pragma synchronous = off");
            statement.execute("create table t (id integer primary key, n integer, body text)");
            statement.execute("create table index_of_t (id integer primary key, word text)");
            // Of 4 KB each, so that a page is a row.
            statement.execute("with recursive r(i) as (select 1 union all select i + 1 from r where i < "
                    + MEGABYTES * 256L
                    + ") insert into t select i, 0, hex(zeroblob(1900)) from r");
            statement.execute("insert into index_of_t select id, 'word ' || id from t where id <= 100000");
            statement.execute("create index words on index_of_t (word)");
        }
    }
}
