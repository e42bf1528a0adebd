package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumesTest {

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void realFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    @Test
    void theVolumeOfARealFileIsTold() throws Exception {
        Children.needProc();
        Path file = Files.createFile(folder.resolve("a.db"));
        Volume volume = new Volumes().of(file);
        assertThat(volume.type()).isEqualTo(Files.getFileStore(file).type());
        assertThat(file.toString()).startsWith(volume.mountPoint());
        assertThat(volume.freeBytes()).isPositive().isLessThanOrEqualTo(volume.totalBytes());
        assertThat(new Volumes().of(folder.resolve("not/there/yet.db")).mountPoint())
                .isEqualTo(volume.mountPoint());
    }

    @Test
    void theLongestMountPointThatHoldsTheFileWins() throws Exception {
        Path data = Files.createDirectories(folder.resolve("data/deep"));
        Volumes volumes = volumes(
                mount(folder.resolve("data/deep"), "nfs4"),
                mount(Path.of("/"), "ext4"),
                mount(folder.resolve("data"), "xfs"),
                mount(folder.resolve("data/dee"), "btrfs"));
        assertThat(volumes.of(data.resolve("a.db")).type()).isEqualTo("nfs4");
        assertThat(volumes.of(folder.resolve("data/a.db")).type()).isEqualTo("xfs");
        assertThat(volumes.of(folder.resolve("data/deeper")).type()).isEqualTo("xfs");
        assertThat(volumes.of(folder.resolve("a.db")).mountPoint()).isEqualTo("/");
    }

    @Test
    void ofTwoMountsAtOnePointTheLaterOneWins() throws Exception {
        Volumes volumes = volumes(mount(folder, "ext4"), mount(folder, "tmpfs"), mount(Path.of("/"), "xfs"));
        assertThat(volumes.of(folder.resolve("a.db")).type()).isEqualTo("tmpfs");
    }

    @Test
    void namesInMountinfoAreUnescaped() throws Exception {
        Path data = Files.createDirectory(folder.resolve("a b\tc\\d$é"));
        String escaped =
                data.toString().replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011");
        Volumes volumes = volumes(
                mount(Path.of("/"), "ext4"),
                "40 27 0:40 / " + escaped + " rw master:1 propagate_from:2 - fuse.s3\\040fs a\\040b rw");
        assertThat(volumes.of(data.resolve("a.db")).mountPoint()).isEqualTo(data.toString());
        assertThat(volumes.of(data.resolve("a.db")).type()).isEqualTo("fuse.s3 fs");
    }

    @Test
    void aFileThatIsMountedByItselfIsItsOwnVolume() throws Exception {
        Path file = Files.createFile(folder.resolve("a.db"));
        Volumes volumes = volumes(mount(Path.of("/"), "ext4"), mount(file, "virtiofs"));
        assertThat(volumes.of(file).type()).isEqualTo("virtiofs");
        assertThat(volumes.of(folder.resolve("a.db-wal")).type()).isEqualTo("ext4");
    }

    @Test
    void withoutProcTheTypeIsStillTold() throws Exception {
        Path file = Files.createFile(folder.resolve("a.db"));
        Volume volume = new Volumes(folder).of(file);
        assertThat(volume.type()).isEqualTo(Files.getFileStore(file).type());
        assertThat(volume.mountPoint()).isEmpty();
        assertThat(volume.totalBytes()).isPositive();
    }

    private static String mount(Path point, String type) {
        return "36 35 98:0 / " + point + " rw,noatime - " + type + " /dev/x rw";
    }

    private Volumes volumes(String... lines) throws IOException {
        Path proc = Files.createDirectories(folder.resolve("proc/self"));
        Files.write(proc.resolve("mountinfo"), List.of(lines));
        return new Volumes(folder.resolve("proc"));
    }
}
