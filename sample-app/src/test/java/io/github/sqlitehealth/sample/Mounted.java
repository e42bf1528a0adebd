package io.github.sqlitehealth.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opentest4j.TestAbortedException;

/** A file system that is mounted for a test. Skips the test where that is not allowed. */
record Mounted(Path point) implements AutoCloseable {

    static Mounted tmpfs(Path point) throws IOException {
        return mount(Files.createDirectories(point), "tmpfs", "size=64m");
    }

    /** The layers lie below the folder, which should be on a tmpfs: an overlay on an overlay is refused. */
    static Mounted overlay(Path folder) throws IOException {
        Path lower = Files.createDirectories(folder.resolve("lower"));
        Path upper = Files.createDirectories(folder.resolve("upper"));
        Path work = Files.createDirectories(folder.resolve("work"));
        String layers = "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work;
        return mount(Files.createDirectories(folder.resolve("merged")), "overlay", layers);
    }

    private static Mounted mount(Path point, String type, String options) throws IOException {
        Process mount = Act.start("mount", List.of("mount", "-t", type, type, "-o", options, point.toString()));
        if (mount.onExit().join().exitValue() != 0) {
            throw new TestAbortedException("This system refuses to mount a file system of the type " + type);
        }
        return new Mounted(point);
    }

    @Override
    public void close() throws IOException {
        Act.start("mount", List.of("umount", "-l", point.toString())).onExit().join();
    }
}
