package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseFileTest {

    @TempDir
    Path folder;

    @Test
    void sidecarsLieBesideTheDatabase() {
        Path main = Path.of("data", "a b.db");
        assertThat(DatabaseFile.MAIN.beside(main)).isEqualTo(main);
        assertThat(DatabaseFile.WAL.beside(main)).isEqualTo(Path.of("data", "a b.db-wal"));
        assertThat(DatabaseFile.SHM.beside(Path.of("app"))).isEqualTo(Path.of("app-shm"));
        assertThat(DatabaseFile.values()).extracting(DatabaseFile::key).containsExactly("main", "wal", "shm");
    }

    @Test
    void factsAreThoseOfTheFileAtThePath() throws Exception {
        Path file = Files.writeString(folder.resolve("é b.db"), "12345");
        FileFacts facts = FileFacts.of(file);
        assertThat(facts.size()).isEqualTo(5);
        assertThat(facts.links()).isEqualTo(1);
        assertThat(facts.modified()).isEqualTo(Files.getLastModifiedTime(file).toInstant());

        Files.createLink(folder.resolve("other name"), file);
        assertThat(FileFacts.of(file).links()).isEqualTo(2);
        assertThat(FileFacts.of(folder.resolve("other name")).id()).isEqualTo(facts.id());
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThat(FileFacts.of(link).id()).isEqualTo(facts.id());
    }

    @Test
    void anAbsentFileHasNoFacts() throws Exception {
        assertThat(FileFacts.of(folder.resolve("absent"))).isNull();
        assertThat(FileFacts.of(folder.resolve("absent/too"))).isNull();
        assertThat(FileFacts.basic(folder.resolve("absent"))).isNull();
    }

    @Test
    void aFileReplacedByAnotherHasAnotherId() throws Exception {
        Path file = Files.writeString(folder.resolve("a.db"), "old");
        FileId before = FileFacts.of(file).id();
        Files.move(Files.writeString(folder.resolve("b.db"), "new"), file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(FileFacts.of(file).id()).isNotNull().isNotEqualTo(before);
    }

    @Test
    void whereThereAreNoInodesTheRestIsStillTold() throws Exception {
        Path file = Files.writeString(folder.resolve("a.db"), "12345");
        FileFacts facts = FileFacts.basic(file);
        assertThat(facts.id()).isNull();
        assertThat(facts.size()).isEqualTo(5);
        assertThat(facts.modified()).isEqualTo(FileFacts.of(file).modified());
    }

    @Test
    void aPathIsKnownByItsRealNameAlsoWhenTheFileIsGone() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real")).toRealPath();
        Path main = Files.createFile(real.resolve("a.db"));
        Path directoryLink = Files.createSymbolicLink(folder.resolve("directory"), real);
        Path fileLink = Files.createSymbolicLink(folder.resolve("file"), Path.of("directory", "a.db"));
        assertThat(RealPath.of(fileLink)).isEqualTo(main);
        Files.delete(main);
        assertThat(RealPath.of(fileLink)).isEqualTo(main);
        assertThat(RealPath.of(directoryLink.resolve("a.db"))).isEqualTo(main);
    }

    @Test
    void linksThatGoInCirclesComeToAnEnd() throws Exception {
        Path a = Files.createSymbolicLink(folder.resolve("a"), Path.of("b"));
        Files.createSymbolicLink(folder.resolve("b"), Path.of("a"));
        assertThat(RealPath.of(a).getParent()).isEqualTo(folder.toRealPath());
    }

    @Test
    void thisProcessIsKnown() {
        ProcessFacts facts = ProcessFacts.current();
        assertThat(facts.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(facts.uptime()).isPositive();
        assertThat(facts.started()).isBefore(Instant.now());
    }
}
