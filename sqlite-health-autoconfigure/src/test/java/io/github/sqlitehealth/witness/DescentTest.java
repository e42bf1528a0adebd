package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.Descriptor;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Numbers and names made up, for what no real file system gives at will: inodes that are used again. */
class DescentTest {

    private static final Path MAIN = Path.of("/data/app.db");

    private final Map<DatabaseFile, FileFacts> atPath = new EnumMap<>(DatabaseFile.class);
    private final List<Descriptor> held = new ArrayList<>();
    private final Map<DatabaseFile, FileId> known = new HashMap<>();
    private final List<Stale> before = new ArrayList<>();

    @Test
    void whatIsHeldAndAtThePathIsCurrent() {
        at(DatabaseFile.MAIN, 1);
        at(DatabaseFile.WAL, 2);
        held(1, "/data/app.db");
        held(2, "/data/app.db-wal");
        Descent descent = descent();
        assertThat(descent.stale()).isEmpty();
        assertThat(descent.held()).isTrue();
        assertThat(descent.current()).containsOnlyKeys(DatabaseFile.MAIN, DatabaseFile.WAL);
    }

    @Test
    void aRenamedFileThatWasKnownIsStaleUnderItsNewName() {
        at(DatabaseFile.MAIN, 9);
        known.put(DatabaseFile.MAIN, id(1));
        held(1, "/data/moved-away.db");
        assertThat(stale()).containsExactly("main: inode 1 is held, the path has inode 9");
    }

    @Test
    void theWordDeletedIsNoProof() {
        at(DatabaseFile.MAIN, 1);
        held(1, "/data/app.db (deleted)");
        assertThat(stale()).isEmpty();
    }

    @Test
    void aFileOfAnotherDatabaseIsNobodysBusiness() {
        at(DatabaseFile.MAIN, 1);
        held(1, "/data/app.db");
        held(5, "/data/app.db-wal2");
        held(6, "/data/other/app.db-wal (deleted)");
        assertThat(stale()).isEmpty();
    }

    @Test
    void anotherDeviceWithTheSameInodeIsAnotherFile() {
        at(DatabaseFile.MAIN, 1);
        held.add(new Descriptor(7, new FileId(66, 1), 100, "/data/app.db"));
        assertThat(stale()).hasSize(1);
    }

    @Test
    void anInodeThatIsUsedAgainByALogFileIsNoAlarmWhileTheNewSidecarIsHeld() {
        known.put(DatabaseFile.WAL, id(2));
        at(DatabaseFile.MAIN, 1);
        at(DatabaseFile.WAL, 3);
        held(1, "/data/app.db");
        held(3, "/data/app.db-wal");
        held(2, "/var/log/app.log");
        assertThat(stale()).isEmpty();
    }

    /** The last connection has closed, and the next file that was opened got the number of the -wal. */
    @Test
    void anInodeThatIsUsedAgainAfterTheLastConnectionClosedIsNoAlarm() {
        known.put(DatabaseFile.MAIN, id(1));
        known.put(DatabaseFile.WAL, id(2));
        known.put(DatabaseFile.SHM, id(3));
        at(DatabaseFile.MAIN, 1);
        held(2, "/var/log/app.log");
        held(3, "/var/log/other.log");
        assertThat(stale()).isEmpty();
    }

    @Test
    void aRenamedSidecarIsStaleAsLongAsTheMainFileIsHeld() {
        known.put(DatabaseFile.WAL, id(2));
        at(DatabaseFile.MAIN, 1);
        held(1, "/data/app.db");
        held(2, "/data/app.db-wal.bak");
        assertThat(stale()).containsExactly("wal: inode 2 is held, nothing is at the path");
    }

    /** The application has left the WAL mode, and what was written next, such as our own memory, got the number of the -wal. */
    @Test
    void anInodeThatIsUsedAgainAfterTheWalModeWasLeftIsNoAlarm() {
        for (DatabaseFile again : List.of(DatabaseFile.WAL, DatabaseFile.SHM)) {
            held.clear();
            known.put(DatabaseFile.MAIN, id(1));
            known.put(DatabaseFile.WAL, id(2));
            known.put(DatabaseFile.SHM, id(3));
            at(DatabaseFile.MAIN, 1);
            held(1, "/data/app.db");
            held(known.get(again).inode(), "/data/app.db-forensics/state.json.tmp");
            assertThat(stale()).as("%s", again).isEmpty();
        }
    }

    @Test
    void aRenamedSidecarIsStaleWhetherTheOtherOneIsInItsPlaceRenamedOrGone() {
        known.put(DatabaseFile.MAIN, id(1));
        known.put(DatabaseFile.WAL, id(2));
        known.put(DatabaseFile.SHM, id(3));
        at(DatabaseFile.MAIN, 1);
        held(1, "/data/app.db");
        held(2, "/data/moved-wal");
        for (String other : List.of("/data/app.db-shm", "/data/moved-shm", "/data/app.db-shm (deleted)")) {
            held(3, other);
            assertThat(stale()).as(other).contains("wal: inode 2 is held, nothing is at the path");
            held.remove(2);
        }
    }

    @Test
    void whatWasStaleStaysSoWhateverItIsCalledNow() {
        before.add(new Stale(DatabaseFile.WAL, id(2), null, false));
        at(DatabaseFile.MAIN, 1);
        at(DatabaseFile.WAL, 4);
        held(1, "/data/app.db");
        held(2, "/elsewhere/wal");
        held(4, "/data/app.db-wal");
        assertThat(stale()).containsExactly("wal: inode 2 is held, the path has inode 4");
    }

    @Test
    void severalGenerationsOfOneFileAreAllTold() {
        at(DatabaseFile.MAIN, 1);
        held(1, "/data/app.db");
        held(2, "/data/app.db-wal (deleted)");
        held(4, "/data/app.db-wal (deleted)");
        assertThat(stale()).hasSize(2);
    }

    private List<String> stale() {
        return descent().stale().stream().map(Stale::describe).toList();
    }

    private Descent descent() {
        return new Descent(MAIN, atPath, held, known, before);
    }

    private void at(DatabaseFile file, long inode) {
        atPath.put(file, new FileFacts(file.beside(MAIN), id(inode), 100, 1, Instant.EPOCH));
    }

    private void held(long inode, String link) {
        held.add(new Descriptor(held.size() + 3, id(inode), 100, link));
    }

    private static FileId id(long inode) {
        return new FileId(65, inode);
    }
}
