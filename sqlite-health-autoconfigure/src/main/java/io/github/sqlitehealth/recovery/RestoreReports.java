package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
import io.github.sqlitehealth.os.RealPath;
import io.github.sqlitehealth.recovery.RestoreReport.Outcome;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What restores have come to, as it is kept in the forensics directory. */
public final class RestoreReports {

    private static final Logger log = LoggerFactory.getLogger(RestoreReports.class);

    private static final String PREFIX = "restore-";
    private static final String SUFFIX = ".json";

    private static final String FRESH = "sqlite.health.recovery.start-fresh=true";
    private static final String FROM = "sqlite.health.recovery.restore-from=";
    private static final String FORCE = "sqlite.health.recovery.force=true";

    private final Path forensics;

    public RestoreReports(Path forensics) {
        this.forensics = forensics;
    }

    static String name(String time) {
        return PREFIX + time + SUFFIX;
    }

    /** All that can be read, newest first. */
    public List<RestoreReport> list() {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(forensics, PREFIX + "*" + SUFFIX)) {
            found.forEach(files::add);
        } catch (IOException ex) {
            log.debug("There are no reports in {}", forensics, ex);
        }
        files.sort(Collections.reverseOrder());
        return files.stream()
                .map(RestoreReports::read)
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<RestoreReport> read(Path file) {
        try {
            return Optional.of(Json.read(file, RestoreReport.class));
        } catch (RuntimeException ex) {
            log.warn("{} cannot be understood ({}) and is passed over", file, ex.getMessage());
            return Optional.empty();
        }
    }

    /**
     * The restore that has honoured a request which is still there. One that replaces a sound database is told by its
     * words alone: with another {@code latest} it would take back what has been written since, at every start.
     *
     * @param main without symbolic links
     */
    Optional<RestoreReport> honoured(String asked, boolean force, Path main, @Nullable String identity) {
        return list().stream()
                .filter(report -> report.outcome() == Outcome.RESTORED || report.outcome() == Outcome.STARTED_FRESH)
                .filter(report -> report.database().equals(main.toString()))
                .filter(report -> report.asked().equals(asked))
                .filter(report -> force
                        ? report.forced()
                        : String.valueOf(report.identity()).equals(String.valueOf(identity)))
                .findFirst();
    }

    /**
     * What has to be set so that a request is honoured at the next start.
     *
     * @param asked the value of {@code restore-from}, or {@link RestoreRequest#START_FRESH}
     * @param from the copy that this means, absent to start fresh
     * @return empty when nothing helps any more, since it has been honoured with and without force
     */
    public Optional<String> way(Path database, String asked, @Nullable Path from) {
        Path main = RealPath.of(database);
        String plain = asked.equals(RestoreRequest.START_FRESH) ? FRESH : FROM + asked;
        try {
            if (honoured(asked, false, main, RestoreSource.identity(from)).isEmpty()) {
                return Optional.of(plain);
            }
        } catch (RestoreRefusedException ex) {
            // A copy that cannot be looked at will be refused for that.
            return Optional.of(plain);
        }
        return honoured(asked, true, main, null).isEmpty() ? Optional.of(plain + " with " + FORCE) : Optional.empty();
    }

    /** How what has been honoured can be done again, to end a sentence with. */
    String again(Path main, String asked) {
        boolean fresh = asked.equals(RestoreRequest.START_FRESH);
        String command = "run the command " + (fresh ? asked : "restore") + " while the application is stopped";
        String force = honoured(asked, true, main, null).isPresent()
                ? ""
                : ", or set " + FORCE + ", which is honoured once, too";
        return command + force + (fresh ? "" : ", or name another file in " + FROM.replace("=", ""));
    }
}
