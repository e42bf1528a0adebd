package io.github.sqlitehealth.forensics;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/**
 * Where what the next process has to know is kept. Several processes may watch one file; the first of them owns the
 * memory, the others only read it, since what they go through is not what the owner does.
 */
public final class Memory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Memory.class);

    private static final String NAME = "state.json";
    private static final String LOCK = "state.lock";

    /** The directories whose memory this process owns. */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();

    private final ForensicsDirectory directory;
    private final Path file;
    private final Clock clock;
    private @Nullable FileChannel lockFile;
    private boolean foreign;
    private boolean complained;
    private boolean written;
    private volatile boolean setAside;

    /**
     * @param file the database that is remembered here
     */
    public Memory(ForensicsDirectory directory, Path file, Clock clock) {
        this.directory = directory;
        this.file = file;
        this.clock = clock;
    }

    /** The same for those who only look, and so set nothing aside: what cannot be understood is not there. */
    public static Optional<Remembered> peek(ForensicsDirectory directory, Path file) {
        return Json.find(directory.file(NAME), Remembered.class)
                .filter(remembered -> isAbout(remembered, directory, file))
                .map(remembered -> remembered.at(file.toString()));
    }

    /** A folder that was moved or copied takes the memory of its databases along: that lies beside them. */
    private static boolean isAbout(Remembered remembered, ForensicsDirectory directory, Path file) {
        return remembered.file().equals(file.toString()) || directory.path().equals(ForensicsDirectory.beside(file));
    }

    /** What an earlier process wrote down. A file that cannot be understood is set aside, never overwritten. */
    public synchronized Optional<Remembered> recall() {
        Path memory = directory.file(NAME);
        if (!Files.exists(memory)) {
            return Optional.empty();
        }
        try {
            Remembered remembered = Json.read(memory, Remembered.class);
            if (isAbout(remembered, directory, file)) {
                if (!remembered.file().equals(file.toString())) {
                    log.info("What is remembered of {} is now about {}, beside which it lies", remembered.file(), file);
                }
                written = true;
                return Optional.of(remembered.at(file.toString()));
            }
            setAside = true;
            directory.setAside(NAME, clock.instant(), new IOException("it is about " + remembered.file()));
        } catch (JacksonException ex) {
            setAside = true;
            directory.setAside(NAME, clock.instant(), ex);
        }
        return Optional.empty();
    }

    /** Whether an earlier process wrote down what could not be understood: it may have left an incident open. */
    public boolean wasSetAside() {
        return setAside;
    }

    /**
     * Whether somebody has taken away what was written down. The lock went with it, so it is asked for anew with
     * the next thing to remember.
     */
    public synchronized boolean isGone() {
        if (!written || Files.exists(directory.file(NAME))) {
            return false;
        }
        close();
        return true;
    }

    /** Writes it down, unless another process owns the memory. Failures are logged once. */
    public synchronized void keep(Remembered remembered) {
        try {
            if (own()) {
                directory.write(NAME, Json.write(remembered));
                written = true;
                complained = false;
            }
        } catch (ClosedByInterruptException ex) {
            log.debug("Whoever stops this thread writes down what holds, once more", ex);
        } catch (IOException ex) {
            if (!complained) {
                complained = true;
                log.warn(
                        "What holds cannot be written to {} ({}); a restart will not know of it",
                        directory.path(),
                        ex.toString());
            }
        }
    }

    private boolean own() throws IOException {
        if (lockFile != null) {
            return true;
        }
        // Whoever closes a lock file gives back the locks of the whole process: another monitor's, too.
        if (!OWNED.add(directory.path())) {
            return foreign();
        }
        FileChannel channel = null;
        try {
            channel = directory.open(LOCK);
            if (channel.tryLock() != null) {
                lockFile = channel;
                foreign = false;
            }
        } finally {
            if (lockFile == null) {
                OWNED.remove(directory.path());
                if (channel != null) {
                    channel.close();
                }
            }
        }
        return lockFile != null || foreign();
    }

    /** The owner may end before this process does, so it is asked again with the next thing to remember. */
    private boolean foreign() {
        if (!foreign) {
            foreign = true;
            log.info("Another process keeps the memory in {}; this one only adds snapshots", directory.path());
        }
        return false;
    }

    @Override
    public synchronized void close() {
        try {
            if (lockFile != null) {
                OWNED.remove(directory.path());
                lockFile.close();
            }
        } catch (IOException ex) {
            log.debug("The lock on {} could not be given back", directory.path(), ex);
        }
        lockFile = null;
    }
}
