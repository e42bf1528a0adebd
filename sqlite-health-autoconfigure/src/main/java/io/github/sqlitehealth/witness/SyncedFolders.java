package io.github.sqlitehealth.witness;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a file lies in a folder that a program keeps in step with other machines: by the names of the folders
 * above it, and by what such programs leave in them. Looks at each folder once, so it is to be made anew for each round;
 * opens nothing but directories.
 */
public final class SyncedFolders {

    /** Nobody keeps a database among so many files, and a folder must not take long. */
    private static final int MOST_ENTRIES = 10_000;

    private static final Map<Pattern, String> FOLDERS = patterns(
            "Dropbox( \\(.+\\))?", "Dropbox",
            "OneDrive( ?- ?.+)?", "OneDrive",
            "Mobile Documents", "iCloud Drive",
            "Google ?Drive(-.+)?", "Google Drive");

    private static final Map<Pattern, String> MARKERS = patterns(
            "\\.dropbox|\\.dropbox\\.cache", "Dropbox",
            "\\.tmp\\.drivedownload|\\.tmp\\.driveupload", "Google Drive",
            "\\.stfolder|\\.stversions", "Syncthing",
            "\\._?sync_[0-9a-f]+\\.db|\\.nextcloudsync\\.log", "Nextcloud",
            "\\.csync_journal\\.db|\\.owncloudsync\\.log", "ownCloud");

    private final Map<Path, Optional<String>> known = new HashMap<>();

    private static Map<Pattern, String> patterns(String... pairs) {
        Map<Pattern, String> patterns = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            patterns.put(Pattern.compile(pairs[i]), pairs[i + 1]);
        }
        return patterns;
    }

    /** The program and its sign, such as {@code Syncthing (/data/.stfolder)}; null when there is no sign of one. */
    public @Nullable String above(Path file) {
        Path parent = file.getParent();
        return parent == null ? null : folder(parent).orElse(null);
    }

    private Optional<String> folder(Path folder) {
        Optional<String> before = known.get(folder);
        if (before != null) {
            return before;
        }
        Optional<String> here = byName(folder).or(() -> byMarker(folder));
        Path parent = folder.getParent();
        Optional<String> found = here.isPresent() || parent == null ? here : folder(parent);
        known.put(folder, found);
        return found;
    }

    private static Optional<String> byName(Path folder) {
        return matching(FOLDERS, folder).map(program -> program + " (" + folder + ")");
    }

    private static Optional<String> byMarker(Path folder) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            int left = MOST_ENTRIES;
            for (Path entry : entries) {
                Optional<String> program = String.valueOf(entry.getFileName()).startsWith(".")
                        ? matching(MARKERS, entry)
                        : Optional.empty();
                if (program.isPresent()) {
                    return Optional.of(program.get() + " (" + entry + ")");
                }
                if (--left == 0) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException ex) {
            // A folder that may not be listed tells nothing.
        }
        return Optional.empty();
    }

    private static Optional<String> matching(Map<Pattern, String> patterns, Path path) {
        String name = String.valueOf(path.getFileName());
        return patterns.entrySet().stream()
                .filter(entry -> entry.getKey().matcher(name).matches())
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
