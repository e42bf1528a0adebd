package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.witness.Stale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of others, from what is at the paths. */
class OtherWritersTest {

    private static final Stale WAL = new Stale(DatabaseFile.WAL, new FileId(1, 2), null, false);

    @TempDir
    Path folder;

    private Path wal;
    private OtherWriters others;

    @BeforeEach
    void aDatabase() throws IOException {
        Path main = Files.createFile(folder.resolve("app.db"));
        wal = DatabaseFile.WAL.beside(main);
        others = new OtherWriters(main);
    }

    @Test
    void whatIsSaidOfANewWalIsWhatIsThereNow() throws IOException {
        assertThat(used(WAL)).isNull();
        Files.createFile(wal);
        assertThat(used(WAL)).as("created by whoever only opens the database").isNull();
        Files.write(wal, new byte[32]);
        assertThat(used(WAL)).contains("begun to write").contains("no rows in it yet");
        Files.write(wal, new byte[32 + 24 + 4096]);
        assertThat(used(WAL)).contains("a new -wal with rows in it is at the path");
        Files.delete(wal);
        assertThat(used(WAL)).contains("another process has written").contains("merged or removed since");
    }

    private String used(Stale... stale) throws IOException {
        others.look(List.of(stale), true);
        return others.facts(true, true).used();
    }
}
