package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes backups: copies, checks the copy in full, and only then gives it a place among the others. */
public final class Backups {

    private static final Logger log = LoggerFactory.getLogger(Backups.class);

    private final Timepiece time;

    public Backups(Timepiece time) {
        this.time = time;
    }

    /**
     * Takes one now. Neither a failure nor the death of the process changes anything about the backups there are.
     *
     * @throws BackupFailedException when there is none, and why
     */
    public Backup take(BackupRequest request) throws BackupFailedException {
        refuseOn(request.objection().get());
        try (BackupShelf shelf = BackupShelf.open(request.directory(), request.shared())) {
            shelf.sweep();
            refuseOn(request.shared() ? otherDatabase(request) : null);
            Backup backup = taken(request, shelf);
            prune(request, shelf);
            return backup;
        } catch (CopyRefusedException ex) {
            throw new BackupFailedException(
                    "The copy of " + request.source() + " did not pass its check: " + ex.getMessage());
        } catch (IOException ex) {
            // What the system says of a file is often no more than its name.
            throw failed(request, ex.toString());
        } catch (SQLException ex) {
            throw BackupFailedException.of(text(request, String.valueOf(ex.getMessage())), ex.getErrorCode());
        } catch (UncheckedIOException ex) {
            throw failed(request, String.valueOf(ex.getMessage()));
        }
    }

    private static BackupFailedException failed(BackupRequest request, String why) {
        return new BackupFailedException(text(request, why));
    }

    private static String text(BackupRequest request, String why) {
        return "The backup of " + request.source() + " to "
                + request.directory().path() + " failed: " + why;
    }

    private Backup taken(BackupRequest request, BackupShelf shelf)
            throws BackupFailedException, CopyRefusedException, SQLException, IOException {
        long start = time.ticker().getAsLong();
        Path temporary = null;
        try {
            temporary = shelf.temporary(time.clock().instant());
            OnlineCopy.Copied copied = new OnlineCopy(time.clock()).copy(request, temporary);
            DurableFiles.force(temporary);
            CopyFacts facts = new CopyInspector(time).inspect(temporary, request.timeout(), Pace.gentle());
            refuseOn(request.cancelled().getAsBoolean() ? request.source() + ": it was given up" : null);
            refuseOn(request.objection().get());
            BackupNote note = new BackupNote(
                    request.database(),
                    request.source().toString(),
                    copied.at().truncatedTo(ChronoUnit.MILLIS),
                    Duration.ofNanos(time.ticker().getAsLong() - start),
                    copied.sqliteVersion(),
                    Files.getLastModifiedTime(temporary).toMillis(),
                    facts);
            return shelf.install(temporary, note);
        } finally {
            BackupShelf.discard(temporary);
        }
    }

    private static void refuseOn(@Nullable String objection) throws BackupFailedException {
        if (objection != null) {
            throw new BackupFailedException("No backup was taken: " + objection);
        }
    }

    /** Two applications that share a directory may both have a database of this name: their backups must not mix. */
    private static @Nullable String otherDatabase(BackupRequest request) {
        Optional<BackupNote> other = request.directory().list().stream()
                .map(Backup::note)
                .filter(note ->
                        note != null && !note.source().equals(request.source().toString()))
                .findFirst();
        return other.filter(note -> Files.exists(Path.of(note.source())))
                .map(note -> request.directory().path() + " holds backups of another database of the name "
                        + request.database() + ", " + note.source() + "; name another sqlite.health.backup.directory")
                .orElse(null);
    }

    private static void prune(BackupRequest request, BackupShelf shelf) {
        try {
            shelf.prune(request.keep());
        } catch (IOException | UncheckedIOException ex) {
            log.warn("Old backups in {} cannot be removed", request.directory().path(), ex);
        }
    }
}
