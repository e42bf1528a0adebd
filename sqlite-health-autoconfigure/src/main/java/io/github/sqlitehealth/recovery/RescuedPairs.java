package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.OwnerOnly;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.HeldDatabase.Generation;
import io.github.sqlitehealth.recovery.ProcessRescueReport.Copy;
import io.github.sqlitehealth.witness.FreshConnections;
import io.github.sqlitehealth.witness.Timepiece;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of main files and of what belongs to each, in a directory of their own, until each is one database file. Once
 * they are complete they are not thrown away, whatever goes wrong: there may be no other copy of the rows.
 */
final class RescuedPairs implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RescuedPairs.class);

    private final Path folder;

    /** How many complete copies are still in it. */
    private int inside;

    private RescuedPairs(Path folder) {
        this.folder = folder;
    }

    /** @param process for people */
    static RescuedPairs in(Path folder, String process, List<Generation> generations)
            throws IOException, RescueRefusedException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new RescueRefusedException(parent + " is no directory: name a file in one that exists with --to");
        }
        if (Files.exists(folder)) {
            throw new RescueRefusedException(folder
                    + " is there: another rescue is going on, or was killed; look whether it holds what is needed, then"
                    + " remove it");
        }
        long needed = 0;
        for (Generation generation : generations) {
            for (Map.Entry<String, Path> source : generation.sources().entrySet()) {
                FileFacts facts = FileFacts.of(source.getValue());
                // What is in -wal is first beside the main file and then in it.
                needed += facts == null ? 0 : facts.size() * (source.getKey().equals("-wal") ? 2 : 1);
            }
        }
        long free = Files.getFileStore(parent).getUsableSpace();
        if (free < needed) {
            throw new RescueRefusedException("there is too little room in " + parent + " for what " + process
                    + " holds: " + needed + " bytes are needed, " + free + " are free; name another file with --to");
        }
        OwnerOnly.directory(folder, false);
        return new RescuedPairs(folder);
    }

    /** Copies all of them so that they are of one moment, whoever else may have them open. */
    void copy(List<Generation> generations) throws IOException {
        SteadyCopy.of(generations, this::main);
        inside = generations.size();
    }

    /** Makes one database file of a copy and gives it its name; one that is not sound gets another. */
    Copy install(int number, Path target, Generation generation, Duration limit, Timepiece time) {
        Path main = main(number);
        String of = generation.described();
        long frames = 0;
        try {
            frames = merge(main);
            CopyFacts facts = new CopyInspector(time).inspect(main, limit);
            DurableFiles.force(main);
            DurableFiles.rename(main, target);
            inside--;
            return new Copy(target.toString(), of, frames, facts, null);
        } catch (CopyRefusedException | SQLException | IOException ex) {
            Path unsound = target.resolveSibling(target.getFileName() + ".unsound-"
                    + ForensicsDirectory.stamp(time.clock().instant()));
            return new Copy(setAside(main, unsound).toString(), of, frames, null, ex.getMessage());
        }
    }

    /** Moves the committed transactions of its -wal into it, and tells how many pages those had written. */
    private static long merge(Path main) throws SQLException {
        try (Connection connection = FreshConnections.openCopy(main);
                Statement statement = connection.createStatement()) {
            long frames;
            try (ResultSet found = statement.executeQuery("PRAGMA wal_checkpoint(PASSIVE)")) {
                frames = found.next() ? Math.max(0, found.getLong(2)) : 0;
            }
            try (ResultSet found = statement.executeQuery("PRAGMA wal_checkpoint(TRUNCATE)")) {
                if (found.next() && found.getLong(1) != 0) {
                    throw new SQLException("its -wal could not be moved into " + main);
                }
            }
            return frames;
        }
    }

    private Path setAside(Path main, Path unsound) {
        try {
            for (String end : DatabaseFiles.ALL) {
                Path file = DatabaseFiles.beside(main, end);
                if (Files.exists(file)) {
                    DurableFiles.rename(file, DatabaseFiles.beside(unsound, end));
                }
            }
            inside--;
            return unsound;
        } catch (IOException ex) {
            log.debug("What is not sound stays in {}", folder, ex);
            return main;
        }
    }

    private Path main(int number) {
        return folder.resolve("copy-" + (number + 1) + ".db");
    }

    @Override
    public void close() {
        if (inside > 0) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder)) {
            for (Path file : left) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException ex) {
            log.debug("{} cannot be removed", folder, ex);
        }
    }
}
