package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.ProcessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What belongs together among the files of a process. */
class HeldDatabaseTest {

    private final List<ProcessFile> files = new ArrayList<>();

    @Test
    void aMainFileAndWhatIsBesideIt() {
        hold("/d/app.db", "/d/app.db-wal", "/d/app.db-shm", "/var/log/app.log");
        assertThat(found()).containsExactly("/d/app.db: 1 1>2");
    }

    @Test
    void severalDatabases() {
        hold("/d/b.db", "/d/a.db", "/d/a.db-wal", "/d/c.db", "/d/c.db-journal");
        assertThat(found()).containsExactly("/d/a.db: 1 2>3", "/d/b.db: 1 1", "/d/c.db: 1 4>5");
    }

    @Test
    void connectionsFromBeforeAndAfterTheSidecarsWereRemoved() {
        hold("/d/app.db", "/d/app.db-wal", "/d/app.db-wal");
        assertThat(found()).containsExactly("/d/app.db: 2 1>2 1>3");
    }

    @Test
    void connectionsFromBeforeAndAfterTheMainFileWasReplaced() {
        hold("/d/app.db", "/d/app.db", "/d/app.db-wal");
        assertThat(found()).containsExactly("/d/app.db: 2 1>3 2>3");
    }

    @Test
    void aRenamedMainFileIsFoundByWhatIsLeftOver() {
        hold("/d/old.db", "/d/app.db-wal", "/d/other.db", "/d/other.db-wal");
        assertThat(found()).containsExactly("/d/app.db: 1 1>2", "/d/other.db: 1 3>4");
        assertThat(HeldDatabase.of(files, HeldDatabaseTest::isMain).get(0).isCalled("/d/old.db"))
                .isTrue();
    }

    @Test
    void whatCouldBelongToSeveralBelongsToNone() {
        hold("/d/old.db", "/d/older.db", "/d/app.db-wal");
        assertThat(found()).contains("/d/app.db: 0");
    }

    @Test
    void aMainFileWithoutItsBeginningIsToldByItsSidecars() {
        hold("/d/zeroed", "/d/zeroed-wal");
        assertThat(found()).containsExactly("/d/zeroed: 1 1>2");
    }

    @Test
    void otherFilesAreNone() {
        hold("/var/log/app.log", "/d/state.lock");
        assertThat(found()).isEmpty();
    }

    @Test
    void anEmptyWalBesidesOneWithRowsIsNoGeneration() {
        hold("/d/app.db", "/d/app.db-wal");
        hold(0, "/d/app.db-wal");
        assertThat(found()).containsExactly("/d/app.db: 1 1>2");
    }

    @Test
    void emptyWalsAreOne() {
        hold("/d/app.db");
        hold(0, "/d/app.db-wal");
        hold(0, "/d/app.db-wal");
        assertThat(found()).containsExactly("/d/app.db: 1 1>2");
    }

    private void hold(String... names) {
        for (String name : names) {
            hold(4096, name);
        }
    }

    private void hold(long size, String name) {
        int fd = files.size() + 1;
        Path none = Path.of("/none");
        files.add(new ProcessFile(fd, new FileId(1, fd), size, name, false, false, none, none));
    }

    private List<String> found() {
        return HeldDatabase.of(files, HeldDatabaseTest::isMain).stream()
                .map(database -> database.name() + ": " + database.generations().size() + numbers(database))
                .toList();
    }

    private static String numbers(HeldDatabase database) {
        StringBuilder numbers = new StringBuilder();
        database.generations().forEach(generation -> {
            numbers.append(' ').append(generation.main().fd());
            ProcessFile other = generation.wal() == null ? generation.journal() : generation.wal();
            numbers.append(other == null ? "" : ">" + other.fd());
        });
        return numbers.toString();
    }

    private static boolean isMain(ProcessFile file) {
        return file.name().endsWith(".db");
    }
}
