package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.StartCheck.Trouble;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.FreshWitness;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rebuilds a derived database at the start where it is damaged, emptied, half built or not there. */
public final class Rebuild {

    private static final Logger log = LoggerFactory.getLogger(Rebuild.class);

    private final Path file;
    private final DatabaseRebuilder rebuilder;
    private final Timepiece time;

    public Rebuild(Path file, DatabaseRebuilder rebuilder, Timepiece time) {
        this.file = file;
        this.rebuilder = rebuilder;
        this.time = time;
    }

    /**
     * Why it has to be rebuilt; empty when it is sound and complete, or when only its disk is in trouble.
     *
     * @param trouble what a check has found
     */
    public Optional<String> why(Optional<Trouble> trouble) {
        if (RebuildRecord.ofHalfBuilt(file).isPresent()) {
            return Optional.of("an earlier rebuild did not come to its end");
        }
        if (trouble.isPresent()) {
            return trouble.filter(found -> found.verdict() != Verdict.UNREADABLE)
                    .map(found -> found.verdict() + ": " + found.text());
        }
        return isFresh() ? Optional.of("there is nothing in it yet") : Optional.empty();
    }

    private boolean isFresh() {
        try {
            FileFacts facts = FileFacts.of(file);
            boolean wal = DatabaseFile.WAL.beside(file).toFile().length() > 0;
            return facts == null || (facts.size() == 0 && !wal);
        } catch (IOException ex) {
            return false;
        }
    }

    /**
     * Moves what is there aside, lets the application fill a new one, checks it in full, and writes down last that it is
     * complete.
     *
     * @param why for the record
     * @param aside moves what is there aside
     * @param limit how long the full check may take
     * @throws IOException when nothing can be written beside the database
     * @throws SQLException when the application failed, or has built something that is not sound
     */
    public void run(String why, Aside aside, DataSource dataSource, Duration limit)
            throws IOException, SQLException, RestoreRefusedException {
        log.warn("{} is rebuilt: {}", file, why);
        RebuildRecord record = begin(why, aside);
        rebuilder.rebuild(dataSource);
        Testimony said =
                new FreshWitness(file, time).ask(Check.FULL, limit, limit).testimony();
        if (!said.ok() && !said.because(Reason.APPLICATION_ONLY)) {
            throw new SQLException(
                    "what " + rebuilder.getClass().getName() + " has built is not sound: " + said.text());
        }
        refuseWithoutTables();
        CorruptMarker.clear(file, "has been rebuilt and a full check has passed");
        record.completedAt(time.clock().instant()).write(file);
        log.warn("{} has been rebuilt", file);
    }

    /**
     * What was there before the first attempt is never aged out by what later ones have begun: of that only the last is
     * kept, since somebody may have used it meanwhile without a rebuilder.
     */
    private RebuildRecord begin(String why, Aside aside) throws IOException, RestoreRefusedException {
        RebuildRecord earlier = RebuildRecord.ofHalfBuilt(file).orElse(null);
        boolean begun = earlier != null && earlier.cleared();
        List<String> halves = earlier == null || earlier.halves() == null ? List.of() : earlier.halves();
        RebuildRecord record = new RebuildRecord(time.clock().instant(), why, begun, halves, null);
        record.write(file);
        if (Stream.of(DatabaseFile.values()).anyMatch(each -> Files.exists(each.beside(file)))) {
            List<String> moved = aside.move(begun);
            if (begun) {
                for (String half : halves) {
                    Files.deleteIfExists(Path.of(half));
                }
                halves = moved;
            }
        }
        record = record.cleared(halves);
        record.write(file);
        return record;
    }

    private void refuseWithoutTables() throws SQLException {
        try (Connection connection = FreshConnections.open(file)) {
            if (CopyInspector.number(connection, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 0) {
                throw new SQLException(rebuilder.getClass().getName() + " has created no tables");
            }
        }
    }

    /** Moves a database and its sidecars aside. */
    @FunctionalInterface
    public interface Aside {

        /**
         * Moves them.
         *
         * @param half whether a rebuild has begun it, for which no older archive may go
         * @return where they are now
         * @throws RestoreRefusedException when somebody holds it
         */
        List<String> move(boolean half) throws RestoreRefusedException;
    }
}
