package io.github.sqlitehealth.os;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The files that are mapped into the memory of this process, libraries above all. Any thread may ask. */
public final class MappedFiles {

    private static final String DELETED = " (deleted)";

    private final Path maps;

    /** As on every Linux: {@code /proc}. */
    public MappedFiles() {
        this(Path.of("/proc"));
    }

    /** @param proc where the proc file system is mounted */
    public MappedFiles(Path proc) {
        this.maps = proc.resolve("self").resolve("maps");
    }

    /**
     * The paths of the mapped files whose name passes, each file once, whether or not it has been deleted since.
     *
     * @param name is asked with the last part of the path
     * @throws IOException when the system does not tell
     */
    public List<String> named(Predicate<String> name) throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(maps, ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                // 7f1c2e000000-7f1c2e021000 r-xp 00000000 fe:00 131074    /usr/lib/libz.so.1 (deleted)
                int path = line.indexOf('/');
                String shown = path < 0 ? "" : withoutRemark(line.substring(path));
                if (name.test(shown.substring(shown.lastIndexOf('/') + 1))) {
                    String[] fields = line.substring(0, path).split(" +");
                    found.putIfAbsent(fields[3] + " " + fields[4], decoded(shown));
                }
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new IOException(maps + " is written in an unknown way", e);
        }
        return List.copyOf(found.values());
    }

    private static String withoutRemark(String path) {
        return path.endsWith(DELETED) ? path.substring(0, path.length() - DELETED.length()) : path;
    }

    private static String decoded(String path) {
        return new String(path.getBytes(ISO_8859_1), StandardCharsets.UTF_8);
    }
}
