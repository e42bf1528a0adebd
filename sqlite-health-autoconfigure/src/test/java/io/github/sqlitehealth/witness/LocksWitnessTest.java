package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.it.Db;
import io.github.sqlitehealth.os.DatabaseStats;
import io.github.sqlitehealth.os.OwnDescriptors;
import io.github.sqlitehealth.os.OwnLocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the witness of the locks says on systems that show less of them; that they vanish is acted on applications. */
class LocksWitnessTest {

    private static final Path PROC = Path.of("/proc");

    private static final String HIDDEN = "this system does not show a process its locks";

    @TempDir
    Path temporary;

    private Path file;
    private Path partly;
    private HikariDataSource pool;
    private Anchor anchor;

    @BeforeEach
    void openDatabase() throws Exception {
        assumeTrue(new OwnDescriptors().readable(), "this system has no /proc, so locks cannot be seen");
        file = Db.wal(temporary.toRealPath().resolve("app.db"));
        partly = Files.createDirectories(temporary.resolve("proc"));
        pool = Db.pool(file, 1);
        Db.execute(pool, "INSERT INTO t(body) VALUES ('x')");
        anchor = new Anchor(file, true);
        anchor.open();
    }

    @AfterEach
    void close() throws Exception {
        anchor.close();
        pool.close();
        Files.deleteIfExists(partly.resolve("self/fd"));
        Files.deleteIfExists(partly.resolve("self/fdinfo"));
    }

    @Test
    void whereProcIsHiddenNobodyIsAskedAndItSaysWhy() throws Exception {
        LocksWitness witness = witness(partly, partly);
        assertUnasked(ask(witness), "the lock on main has not been seen yet");
        for (int look = 0; look < 3; look++) {
            assertUnasked(ask(witness), HIDDEN);
        }
    }

    /** In a container that masks parts of /proc. */
    @Test
    void whereOnlyDescriptorsAreShownNobodyIsAskedEither() throws Exception {
        show("fd");
        LocksWitness witness = witness(partly, partly);
        assertUnasked(ask(witness), "the lock on main has not been seen yet");
        for (int look = 0; look < 3; look++) {
            assertUnasked(ask(witness), HIDDEN);
        }
    }

    @Test
    void oneOfTheTwoListsOfLocksIsEnough() throws Exception {
        show("fd");
        assertThat(ask(witness(partly, PROC)).says()).isEqualTo(Answer.OK);
        show("fdinfo");
        LocksWitness witness = witness(partly, temporary);
        ask(witness);
        assertThat(ask(witness).says()).isEqualTo(Answer.OK);
    }

    /** A process without a descriptor to spare cannot read what its locks are, which does not mean that they are gone. */
    @Test
    void locksThatWereSeenAndAreNotShownAnyMoreHaveNotVanished() throws Exception {
        show("fd");
        show("fdinfo");
        LocksWitness witness = witness(partly, partly);
        ask(witness);
        assertThat(ask(witness).says()).isEqualTo(Answer.OK);
        Files.delete(partly.resolve("self/fdinfo"));
        assertUnasked(ask(witness), HIDDEN);
        show("fdinfo");
        assertThat(ask(witness).says()).isEqualTo(Answer.OK);
        Files.readAllBytes(file);
        assertThat(ask(witness).says()).isEqualTo(Answer.BAD);
    }

    private void show(String directory) throws Exception {
        Path self = Files.createDirectories(partly.resolve("self"));
        Files.createSymbolicLink(self.resolve(directory), PROC.resolve("self").resolve(directory));
    }

    private LocksWitness witness(Path descriptors, Path locks) {
        return new LocksWitness(new OwnDescriptors(descriptors), new OwnLocks(locks), anchor, Timepiece.system());
    }

    private Testimony ask(LocksWitness witness) throws Exception {
        return witness.ask(new Look(new DatabaseStats(file).look(), List.of(), true, null));
    }

    private static void assertUnasked(Testimony said, String why) {
        assertThat(said.says()).isEqualTo(Answer.UNASKED);
        assertThat(said.witness()).isEqualTo(Witness.LOCKS);
        assertThat(said.text()).isEqualTo(why);
    }
}
