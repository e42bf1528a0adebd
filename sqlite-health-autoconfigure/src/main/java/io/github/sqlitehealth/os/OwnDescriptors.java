package io.github.sqlitehealth.os;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files that this process holds open, as {@code /proc} tells them. Any thread may ask. */
public final class OwnDescriptors {

    private final Path self;
    private final OwnLocks locks;

    /** The list that was last made for several, for as long as memory is not needed otherwise. */
    private WeakReference<OpenFiles> shared = new WeakReference<>(null);

    private long sharedBegan;

    /** As on every Linux: {@code /proc}. */
    public OwnDescriptors() {
        this(Path.of("/proc"));
    }

    /** @param proc where the proc file system is mounted */
    public OwnDescriptors(Path proc) {
        this.self = proc.resolve("self");
        this.locks = new OwnLocks(proc);
    }

    /** Whether this system shows a process its own descriptors. */
    public boolean readable() {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(self.resolve("fd"))) {
            return entries.iterator().hasNext();
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /**
     * All regular files that this process holds, without jars, libraries and what lies in {@code /dev}, {@code /proc} and
     * {@code /sys}. Device and inode are those of the open file. A descriptor that is closed meanwhile is left out.
     *
     * @throws IOException when the descriptors cannot be listed
     */
    public List<Descriptor> held() throws IOException {
        List<Descriptor> held = new ArrayList<>();
        ProcDescriptors.visit(self, held::add);
        return held;
    }

    /** The locks of this process on all files at once. */
    public OwnLocks allLocks() {
        return locks;
    }

    /** What is behind a descriptor now; {@code null} when it is closed or no regular file. */
    public @Nullable Descriptor at(int fd) {
        return ProcDescriptors.at(self, fd);
    }

    /**
     * All regular files that this process holds, listed at some time after the given one: those who look at many files
     * share a list, as long as each has asked for its file before the list was begun.
     *
     * @param nanoTime a reading of {@link System#nanoTime()}
     * @return {@code null} where this system shows a process no descriptors
     * @throws IOException when the descriptors cannot be listed
     */
    public synchronized @Nullable OpenFiles heldSince(long nanoTime) throws IOException {
        OpenFiles files = shared.get();
        if (files == null || sharedBegan - nanoTime < 0) {
            sharedBegan = System.nanoTime();
            files = readable() ? new OpenFiles(held()) : null;
            shared = new WeakReference<>(files);
        }
        return files;
    }

    /**
     * The POSIX locks of this process on the file behind the descriptor; empty when it has been closed.
     *
     * @throws IOException when it is open and its locks are not shown: nothing follows then
     */
    public List<PosixLock> locks(int fd) throws IOException {
        try {
            return ProcDescriptors.locks(self, fd);
        } catch (IOException e) {
            if (at(fd) == null) {
                return List.of();
            }
            throw e;
        }
    }
}
