package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.OwnerOnly;
import io.github.sqlitehealth.forensics.WalHeader;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.HeldDatabase.Generation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Copies main files and what belongs to each so that all are of one moment, whoever else may have them open. */
final class SteadyCopy {

    private static final int MOST_ATTEMPTS = 3;

    /** Longer than the clock by which a file system dates a change. */
    private static final long DATED_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private SteadyCopy() {}

    /**
     * Copies all of them.
     *
     * @param target the main file of the copy, by number
     */
    static void of(List<Generation> generations, IntFunction<Path> target) throws IOException {
        for (int attempt = 1; ; attempt++) {
            List<@Nullable Object> before = constants(generations);
            LockSupport.parkNanos(DATED_NANOS);
            for (int number = 0; number < generations.size(); number++) {
                for (Map.Entry<String, Path> source :
                        generations.get(number).sources().entrySet()) {
                    Path copy = DatabaseFiles.beside(target.apply(number), source.getKey());
                    Files.deleteIfExists(copy);
                    OwnerOnly.file(copy);
                    DurableFiles.copy(source.getValue(), copy);
                }
            }
            if (constants(generations).equals(before)) {
                return;
            }
            if (attempt == MOST_ATTEMPTS) {
                throw new IOException("its files were changed during the copying, " + attempt
                        + " times: stop whoever else writes to them, then try again");
            }
        }
    }

    /** What may not change. A -wal that only grows may: what has been copied of it is what was committed until then. */
    private static List<@Nullable Object> constants(List<Generation> generations) throws IOException {
        List<@Nullable Object> constants = new ArrayList<>();
        for (Generation generation : generations) {
            for (Map.Entry<String, Path> source : generation.sources().entrySet()) {
                FileFacts facts = FileFacts.of(source.getValue());
                boolean wal = source.getKey().equals("-wal") && facts != null && facts.size() > 0;
                constants.add(wal ? WalHeader.of(source.getValue()) : facts);
            }
        }
        return constants;
    }
}
