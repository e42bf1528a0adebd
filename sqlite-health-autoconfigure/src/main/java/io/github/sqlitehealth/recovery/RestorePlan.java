package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.recovery.RestoreReport.State;
import io.github.sqlitehealth.witness.ContentRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done, once it is decided: all that another process needs to go on with it or to undo it.
 *
 * @param time as it stands in the names of archive and report
 * @param from absent to start with none
 * @param sha256 of the copy when it was checked, absent to start with none
 * @param rules what must be in what is installed
 * @param moves what is moved aside, in this order
 */
record RestorePlan(
        String time,
        String database,
        String forensics,
        String asked,
        boolean forced,
        @Nullable String from,
        @Nullable String identity,
        @Nullable String sha256,
        State state,
        String condition,
        ContentRules rules,
        int keepArchives,
        Duration checkLimit,
        List<Move> moves,
        Instant began) {

    /** One file that is renamed. */
    record Move(String from, String to) {

        Path source() {
            return Path.of(from);
        }

        Path target() {
            return Path.of(to);
        }
    }

    RestorePlan {
        Objects.requireNonNull(database, "database");
        moves = List.copyOf(moves);
    }

    static RestorePlan of(
            RestoreRequest request, Path main, PresentDatabase present, @Nullable String identity, Instant began) {
        Path from = request.from();
        return new RestorePlan(
                ForensicsDirectory.stamp(began),
                main.toString(),
                request.forensics().toAbsolutePath().toString(),
                request.asked(),
                request.force(),
                from == null ? null : from.toAbsolutePath().toString(),
                identity,
                null,
                present.state(),
                present.condition(),
                request.demands().rules(),
                request.keepArchives(),
                request.checkLimit(),
                List.of(),
                began);
    }

    RestorePlan copying(String sum) {
        return with(time, sum, moves);
    }

    /** Sidecars first: as long as the main file has its name, our lock on it keeps everybody out. */
    RestorePlan movingWhatIsThere() throws IOException {
        Archives archives = new Archives(main());
        String free = archives.free(began);
        List<Move> all = new ArrayList<>();
        for (String suffix : DatabaseFiles.ALL) {
            Path file = DatabaseFiles.beside(main(), suffix);
            if (Files.exists(file)) {
                all.add(new Move(file.toString(), archives.aside(suffix, free).toString()));
            }
        }
        return with(free, sha256, all);
    }

    private RestorePlan with(String stamp, @Nullable String sum, List<Move> all) {
        return new RestorePlan(
                stamp,
                database,
                forensics,
                asked,
                forced,
                from,
                identity,
                sum,
                state,
                condition,
                rules,
                keepArchives,
                checkLimit,
                all,
                began);
    }

    Path main() {
        return Path.of(database);
    }

    /** Where the copy is until it gets its name. */
    Path temporary() {
        return DatabaseFiles.beside(main(), ".restoring-copy");
    }

    /** Where the original is when it has been moved aside; {@code null} when there was none. */
    @Nullable
    Path archivedMain() {
        return moves.stream()
                .filter(move -> move.from().equals(database))
                .map(Move::target)
                .findFirst()
                .orElse(null);
    }

    /** The database and what it was like, to begin a sentence with. */
    String was() {
        return database + " " + condition;
    }
}
