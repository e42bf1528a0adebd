package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFilesTest {

    @TempDir
    Path proc;

    @Test
    void eachFileIsToldOnceAlsoWhenItIsDeleted() throws Exception {
        maps(
                "55d0c0a00000-55d0c0a21000 rw-p 00000000 00:00 0                          [heap]",
                "7f1c2e000000-7f1c2e021000 r--p 00000000 fe:00 131074                     /tmp/a b/libx.so (deleted)",
                "7f1c2e021000-7f1c2e042000 r-xp 00021000 fe:00 131074                     /tmp/a b/libx.so (deleted)",
                "7f1c2e042000-7f1c2e063000 r-xp 00021000 fe:00 131075                     /tmp/libx.so",
                "7f1c2e063000-7f1c2e084000 r-xp 00000000 fe:01 131075                     /opt/libx.so",
                "7f1c2e084000-7f1c2e0a5000 r-xp 00000000 fe:00 131076                     /tmp/liby.so",
                "7f1c2e0a5000-7f1c2e0c6000 rw-p 00000000 00:00 0 ");
        assertThat(new MappedFiles(proc).named(name -> name.equals("libx.so")))
                .containsExactly("/tmp/a b/libx.so", "/tmp/libx.so", "/opt/libx.so");
    }

    @Test
    void whereTheSystemDoesNotTellThereIsAnError() throws Exception {
        assertThatThrownBy(() -> new MappedFiles(proc).named(name -> true)).isInstanceOf(IOException.class);
        maps("nonsense /x");
        assertThatThrownBy(() -> new MappedFiles(proc).named(name -> true)).isInstanceOf(IOException.class);
    }

    @Test
    void theLibrariesOfThisProcess() throws Exception {
        Children.needProc();
        assertThat(new MappedFiles().named(name -> name.equals("libjvm.so"))).hasSize(1);
    }

    private void maps(String... lines) throws IOException {
        Files.write(Files.createDirectories(proc.resolve("self")).resolve("maps"), List.of(lines));
    }
}
