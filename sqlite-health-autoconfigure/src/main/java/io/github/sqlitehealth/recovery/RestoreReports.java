package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.Json;
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
     */
    Optional<RestoreReport> honoured(RestoreRequest request, Path main, @Nullable String identity) {
        return list().stream()
                .filter(report -> report.outcome() == Outcome.RESTORED || report.outcome() == Outcome.STARTED_FRESH)
                .filter(report -> report.database().equals(main.toString()))
                .filter(report -> report.asked().equals(request.asked()))
                .filter(report -> request.force()
                        ? report.forced()
                        : String.valueOf(report.identity()).equals(String.valueOf(identity)))
                .findFirst();
    }
}
