package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The originals that restores have moved aside, beside the database: {@code <file>.corrupt-<time>}, with their sidecars
 * under the same name, so that SQLite still takes them for one database.
 */
public final class Archives {

    private static final String MIDDLE = ".corrupt-";

    private final Path database;
    private final Pattern name;

    /** @param database the main file, without symbolic links */
    public Archives(Path database) {
        this.database = database;
        this.name = Pattern.compile(Pattern.quote(database.getFileName() + MIDDLE)
                + "(\\d{8}T\\d{6}\\.\\d{3}Z)(-wal|-shm|-journal|-failed)?");
    }

    /**
     * One original with its sidecars.
     *
     * @param time when it was moved aside, as it stands in the names
     * @param files the main file first, where there was one
     * @param bytes all of them together
     */
    public record Archive(String time, List<Path> files, long bytes) {

        public Archive {
            files = List.copyOf(files);
        }
    }

    /**
     * All that there are, newest first.
     *
     * @throws IOException when the directory cannot be read
     */
    public List<Archive> list() throws IOException {
        Map<String, List<Path>> sets = new TreeMap<>(Comparator.reverseOrder());
        try (Stream<Path> found = Files.list(database.resolveSibling("."))) {
            found.map(path -> database.resolveSibling(String.valueOf(path.getFileName())))
                    .sorted()
                    .forEach(path -> {
                        Matcher matcher = name.matcher(String.valueOf(path.getFileName()));
                        if (matcher.matches()) {
                            sets.computeIfAbsent(matcher.group(1), time -> new ArrayList<>())
                                    .add(path);
                        }
                    });
        }
        List<Archive> archives = new ArrayList<>();
        sets.forEach((time, files) -> archives.add(new Archive(
                time,
                files,
                files.stream().mapToLong(file -> file.toFile().length()).sum())));
        return archives;
    }

    /** Those beyond the newest so many; the one of the given time is the newest, whatever a clock has said. */
    List<Archive> beyond(int keep, String newest) throws IOException {
        List<Archive> older = list().stream()
                .filter(archive -> !archive.time().equals(newest))
                .toList();
        return older.subList(Math.min(keep - 1, older.size()), older.size());
    }

    /** What a file of the database is called when it is moved aside. */
    Path aside(String suffix, String time) {
        return database.resolveSibling(database.getFileName() + MIDDLE + time + suffix);
    }

    /** A time that no archive has, this one or a little later. */
    String free(Instant now) throws IOException {
        Instant time = now;
        List<String> taken = list().stream().map(Archive::time).toList();
        while (taken.contains(ForensicsDirectory.stamp(time))) {
            time = time.plusMillis(1);
        }
        return ForensicsDirectory.stamp(time);
    }
}
