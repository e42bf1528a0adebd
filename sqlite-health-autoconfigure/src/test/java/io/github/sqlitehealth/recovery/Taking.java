package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.Timepiece;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Backups for a test: the usual ones, and what differs. */
final class Taking {

    final Path source;
    BackupDirectory directory;
    boolean shared;
    int keep = 7;
    Duration bearable = Duration.ofMillis(1500);
    Duration timeout = Duration.ofMinutes(2);
    Supplier<String> objection = () -> null;
    BooleanSupplier cancelled = () -> false;

    Taking(Path source) {
        this.source = source;
        this.directory = new BackupDirectory(BackupDirectory.beside(source), "app");
    }

    BackupRequest request() {
        return new BackupRequest("app", source, directory, shared, keep, bearable, timeout, objection, cancelled);
    }

    Backup now() throws BackupFailedException {
        return new Backups(Timepiece.system()).take(request());
    }

    /** Takes one backup after the other until it is killed. */
    public static void main(String[] arguments) throws Exception {
        Taking taking = new Taking(Path.of(arguments[0]));
        taking.keep = 2;
        while (true) {
            taking.now();
            System.out.println(">");
        }
    }
}
