package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.os.ProcessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A database as a process holds it. When its files are swapped under the process, connections from before go on with the
 * old ones and later ones open the new: then there are several generations.
 *
 * @param name of the main file, as the process knows it
 * @param otherName of the main file, when it has been renamed; the same otherwise
 * @param generations of the main file and of what belongs to it, one in all but rare cases; empty where the main file
 *     is not held any more
 */
record HeldDatabase(String name, String otherName, List<Generation> generations) {

    private static final String WAL = "-wal";
    private static final String JOURNAL = "-journal";

    /** What a connection uses together. */
    record Generation(
            ProcessFile main,
            @Nullable ProcessFile wal,
            @Nullable ProcessFile journal) {

        /**
         * What a copy is made of, by the end of the names. What the process has not opened, but would find at its place, is
         * part of it, too.
         */
        Map<String, Path> sources() {
            Map<String, Path> sources = new LinkedHashMap<>();
            sources.put("", main.through());
            add(sources, WAL, wal);
            add(sources, JOURNAL, journal);
            return sources;
        }

        private void add(Map<String, Path> sources, String end, @Nullable ProcessFile held) {
            Path place = DatabaseFiles.beside(main.place(), end);
            if (held != null) {
                sources.put(end, held.through());
            } else if (!main.stale() && Files.exists(place)) {
                sources.put(end, place);
            }
        }

        String described() {
            return Stream.of(main, wal, journal)
                    .filter(Objects::nonNull)
                    .map(ProcessFile::described)
                    .collect(Collectors.joining(" with "));
        }
    }

    boolean isCalled(String wanted) {
        return name.equals(wanted) || otherName.equals(wanted);
    }

    /**
     * The databases among the files of a process, by name.
     *
     * @param isDatabase whether a file begins as a main file does
     */
    static List<HeldDatabase> of(List<ProcessFile> files, Predicate<ProcessFile> isDatabase) {
        Map<String, List<ProcessFile>> named =
                files.stream().collect(Collectors.groupingBy(ProcessFile::name, TreeMap::new, Collectors.toList()));
        Set<String> mains = named.keySet().stream()
                .filter(name -> !isSidecar(name))
                .filter(name -> DatabaseFiles.SIDECARS.stream().anyMatch(end -> named.containsKey(name + end))
                        || named.getOrDefault(name, List.of()).stream().anyMatch(isDatabase))
                .collect(Collectors.toCollection(TreeSet::new));
        // The descriptor of a renamed file shows the new name; -wal keeps the old one.
        Set<String> orphans = named.keySet().stream()
                .filter(name -> name.endsWith(WAL))
                .map(name -> name.substring(0, name.length() - WAL.length()))
                .filter(base -> !mains.contains(base))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> renamed =
                mains.stream().filter(name -> !named.containsKey(name + WAL)).toList();
        List<HeldDatabase> databases = new ArrayList<>();
        if (orphans.size() == 1 && renamed.size() == 1) {
            String base = orphans.iterator().next();
            databases.add(held(base, renamed.get(0), named));
            mains.removeAll(renamed);
            orphans.clear();
        }
        mains.forEach(name -> databases.add(held(name, name, named)));
        orphans.forEach(base -> databases.add(new HeldDatabase(base, base, List.of())));
        return databases;
    }

    private static HeldDatabase held(String base, String main, Map<String, List<ProcessFile>> named) {
        List<ProcessFile> wals = withRows(named.getOrDefault(base + WAL, List.of()));
        List<ProcessFile> journals = named.getOrDefault(base + JOURNAL, List.of());
        ProcessFile journal = journals.isEmpty() ? null : journals.get(0);
        List<Generation> generations = new ArrayList<>();
        for (ProcessFile file : named.getOrDefault(main, List.of())) {
            wals.forEach(wal -> generations.add(new Generation(file, wal, journal)));
            if (wals.isEmpty()) {
                generations.add(new Generation(file, null, journal));
            }
        }
        return new HeldDatabase(base, main, generations);
    }

    /** A connection that is opened while the process is stranded creates a -wal that it then cannot use. */
    private static List<ProcessFile> withRows(List<ProcessFile> wals) {
        List<ProcessFile> filled = wals.stream().filter(wal -> wal.size() > 0).toList();
        return filled.isEmpty() ? wals.stream().limit(1).toList() : filled;
    }

    private static boolean isSidecar(String name) {
        return DatabaseFiles.SIDECARS.stream().anyMatch(name::endsWith);
    }
}
