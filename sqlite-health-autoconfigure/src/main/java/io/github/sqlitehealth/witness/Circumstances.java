package io.github.sqlitehealth.witness;

import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.Holder;
import io.github.sqlitehealth.os.Volume;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that bears on the hazards of one database at one moment. What could not be found out is absent, and nothing is
 * claimed on the ground of it.
 *
 * @param sqliteVersion of the library that runs
 * @param files what is at the paths
 * @param volume where the main file lies
 * @param syncedBy which program copies the folder, by which sign
 * @param libraries the SQLite libraries that are mapped into this process
 * @param live what one of the application's connections last said of itself
 * @param foreign other processes that hold files of the database
 */
public record Circumstances(
        String sqliteVersion,
        Map<DatabaseFile, FileFacts> files,
        @Nullable Volume volume,
        @Nullable String syncedBy,
        List<String> libraries,
        @Nullable HandleFacts live,
        List<Holder> foreign) {

    public Circumstances {
        files = Map.copyOf(files);
        libraries = List.copyOf(libraries);
        foreign = List.copyOf(foreign);
    }

    /** The size of a file, 0 when it is not there. */
    public long size(DatabaseFile file) {
        FileFacts facts = files.get(file);
        return facts == null ? 0 : facts.size();
    }

    /** Whether it is a database with a WAL, as far as is known. */
    boolean wal() {
        return files.containsKey(DatabaseFile.WAL)
                || (live != null && live.journalMode().equalsIgnoreCase("wal"));
    }
}
