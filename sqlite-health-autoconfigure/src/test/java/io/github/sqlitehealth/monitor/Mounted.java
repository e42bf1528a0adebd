package io.github.sqlitehealth.monitor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system that is mounted for a test. Skips the test where that is not allowed. */
public final class Mounted implements AutoCloseable {

    private final Path point;

    private Mounted(Path point) {
        this.point = point;
    }

    public Path point() {
        return point;
    }

    public static Mounted tmpfs(Path point, String size) throws Exception {
        return mount(point, "mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", point.toString());
    }

    /** The layers lie below the folder, which should be on a tmpfs: an overlay on an overlay is refused. */
    static Mounted overlay(Path folder) throws Exception {
        Path lower = Files.createDirectories(folder.resolve("lower"));
        Path upper = Files.createDirectories(folder.resolve("upper"));
        Path work = Files.createDirectories(folder.resolve("work"));
        Path merged = Files.createDirectories(folder.resolve("merged"));
        String layers = "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work;
        return mount(merged, "mount", "-t", "overlay", "overlay", "-o", layers, merged.toString());
    }

    /** A folder once more, through a file system of user space. */
    static Mounted fuse(Path source, Path point) throws Exception {
        OutsideShell.need("bindfs");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "this system has no FUSE");
        return mount(point, "bindfs", source.toString(), point.toString());
    }

    private static Mounted mount(Path point, String... command) throws IOException, InterruptedException {
        boolean root = "root".equals(System.getProperty("user.name"));
        assumeTrue(root, "only root may mount, so this cannot be acted");
        OutsideShell.need(command[0]);
        Files.createDirectories(point);
        assumeTrue(OutsideShell.code(command) == 0, "this system refuses: " + String.join(" ", command));
        return new Mounted(point);
    }

    @Override
    public void close() throws IOException {
        new ProcessBuilder("umount", "-l", point.toString()).start().onExit().join();
    }
}
