package io.github.sqlitehealth.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyInspectorTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void tellsWhatIsInASoundCopyAndLeavesNothingBesideIt() throws Exception {
        Path copy = Outside.database(folder.resolve("a ?#%20é.db"), 1000);
        Outside.sqlite3(copy, "PRAGMA application_id=77; PRAGMA user_version=5; CREATE TABLE \"o\"\"dd\"(x)");
        byte[] before = Files.readAllBytes(copy);

        CopyFacts facts = inspect(copy);

        assertThat(facts.rows()).containsOnly(entry("t", 1000L), entry("o\"dd", 0L));
        assertThat(facts.applicationId()).isEqualTo(77);
        assertThat(facts.userVersion()).isEqualTo(5);
        assertThat(facts.bytes()).isEqualTo(before.length).isEqualTo(facts.pages() * 4096);
        assertThat(facts.check()).isEqualTo("ok");
        assertThat(facts.sha256())
                .isEqualTo(Outside.sh("sha256sum \"$1\"", copy).substring(0, 64));
        assertThat(folder).isDirectoryContaining(path -> path.equals(copy));
        assertThat(folder.toFile().list()).hasSize(1);
        assertThat(Files.readAllBytes(copy)).isEqualTo(before);
    }

    @Test
    void refusesWhatCannotBeReliedOn() throws Exception {
        Path copy = Outside.database(folder.resolve("copy.db"), 1000);

        refused(folder, "is a directory");
        refused(folder.resolve("none.db"), "does not exist");
        refused(Files.createFile(folder.resolve("empty.db")), "is empty");
        refused(Files.writeString(folder.resolve("text.db"), "no database ".repeat(500)), "no database");
        Path cut = Files.copy(copy, folder.resolve("cut.db"));
        Outside.sh("truncate -s 100000 \"$1\"", cut);
        refused(cut, "damaged");
        Path damaged = Files.copy(copy, folder.resolve("damaged.db"));
        Outside.sh("dd if=/dev/urandom of=\"$1\" bs=4096 seek=20 count=1 conv=notrunc", damaged);
        refused(damaged, "damaged");
        Path half = Files.copy(copy, folder.resolve("half.db"));
        Files.writeString(folder.resolve("half.db-wal"), "frames");
        refused(half, "not whole by itself");
    }

    private void refused(Path file, String why) {
        assertThatExceptionOfType(CopyRefusedException.class)
                .isThrownBy(() -> inspect(file))
                .withMessageContaining(file.toString())
                .withMessageContaining(why)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("\n"));
    }

    private static CopyFacts inspect(Path file) throws CopyRefusedException {
        return new CopyInspector(Timepiece.system()).inspect(file, LONG);
    }
}
