package io.github.sqlitehealth.forensics;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.os.DatabaseFile;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.os.FileId;
import io.github.sqlitehealth.os.Holders;
import io.github.sqlitehealth.os.ProcessFacts;
import io.github.sqlitehealth.os.Scan;
import io.github.sqlitehealth.os.Volumes;
import io.github.sqlitehealth.witness.Section;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.sqlite.SQLiteJDBCLoader;

/** Takes the evidence of one moment. Each section is taken on its own; one that fails says why in its place. */
public final class Forensics {

    private final Holders holders;
    private final Volumes volumes;
    private final Duration holdersTimeout;
    private final Clock clock;
    private final AtomicLong taken = new AtomicLong();

    /**
     * @param holdersTimeout how long the search for those who hold the files may take
     */
    public Forensics(Holders holders, Volumes volumes, Duration holdersTimeout, Clock clock) {
        this.holders = holders;
        this.volumes = volumes;
        this.holdersTimeout = holdersTimeout;
        this.clock = clock;
    }

    /** Takes a snapshot and puts it into the store. Blocks for the time-out of the holders at most, and for the disk. */
    public void snapshot(Occasion occasion, SnapshotStore store) {
        Instant now = clock.instant();
        // The process id and a number of our own, since several processes may write here and a clock may be turned
        // back.
        String id = ForensicsDirectory.stamp(now) + "-"
                + ProcessHandle.current().pid() + "-" + String.format("%04d", taken.incrementAndGet());
        SnapshotEntry entry =
                new SnapshotEntry(id, now, occasion.reason(), occasion.verdict().name(), occasion.incident());
        store.add(entry, content(entry, occasion));
    }

    private Map<String, Object> content(SnapshotEntry entry, Occasion occasion) {
        Map<String, Object> snapshot = new LinkedHashMap<>();
        snapshot.put("id", entry.id());
        snapshot.put("at", entry.at().toString());
        snapshot.put("database", occasion.database());
        snapshot.put("file", occasion.file().toString());
        snapshot.put("reason", entry.reason());
        snapshot.put("verdict", entry.verdict());
        if (entry.incident() != null) {
            snapshot.put("incident", entry.incident());
        }
        snapshot.put(
                "testimonies",
                occasion.testimonies().stream().map(Forensics::testimony).toList());
        if (!occasion.rescue().isEmpty()) {
            snapshot.put("rescue", occasion.rescue());
        }
        // Who holds the files is what changes first.
        Section<Scan> scan = Section.of(() -> holders.find(occasion.file(), known(occasion), holdersTimeout));
        snapshot.put("files", files(occasion.file()));
        snapshot.put("walHeader", shown(Section.of(() -> WalHeader.of(DatabaseFile.WAL.beside(occasion.file())))));
        snapshot.put("holders", scan.value() == null ? shown(scan) : holders(scan.value()));
        if (scan.value() != null && !scan.value().complete()) {
            snapshot.put("holdersNote", scan.value().note());
        }
        snapshot.put("liveHandle", shown(occasion.live()));
        snapshot.put("freshHandle", shown(occasion.fresh()));
        snapshot.put("process", shown(Section.of(() -> process(occasion))));
        snapshot.put("volume", shown(Section.of(() -> volumes.of(occasion.file()))));
        return snapshot;
    }

    private static Map<DatabaseFile, Set<FileId>> known(Occasion occasion) {
        Map<DatabaseFile, Set<FileId>> known = new EnumMap<>(DatabaseFile.class);
        for (DatabaseFile file : DatabaseFile.values()) {
            known.put(
                    file,
                    occasion.look().stale().stream()
                            .filter(stale -> stale.file() == file)
                            .map(stale -> stale.held())
                            .collect(Collectors.toSet()));
        }
        return known;
    }

    private static List<Object> holders(Scan scan) {
        return scan.holders().stream()
                .map(holder -> (Object) Json.plain(holder))
                .toList();
    }

    private static Map<String, Object> files(Path main) {
        Map<String, Object> files = new LinkedHashMap<>();
        for (DatabaseFile file : DatabaseFile.values()) {
            files.put(file.key(), shown(Section.of(() -> file(file.beside(main)))));
        }
        return files;
    }

    private static Map<String, Object> file(Path path) throws IOException {
        FileFacts facts = FileFacts.of(path);
        if (facts == null) {
            throw new NoSuchFileException(path.toString(), null, "there is no such file");
        }
        Map<String, Object> file = new LinkedHashMap<>();
        file.put("path", path.toString());
        FileId id = facts.id();
        if (id != null) {
            file.put("inode", id.inode());
            file.put("device", id.device());
        }
        file.put("size", facts.size());
        file.put("links", facts.links());
        file.put("modified", facts.modified().toString());
        return file;
    }

    private static Map<String, Object> process(Occasion occasion) {
        Map<String, Object> process = new LinkedHashMap<>(Json.plain(ProcessFacts.current()));
        process.put("sqliteVersion", occasion.sqliteVersion());
        process.put("driverVersion", SQLiteJDBCLoader.getVersion());
        return process;
    }

    private static Map<String, Object> testimony(Testimony said) {
        Map<String, Object> testimony = new LinkedHashMap<>();
        testimony.put("witness", said.witness().key());
        testimony.put("check", said.check().key());
        testimony.put("says", said.says().name());
        testimony.put("reason", said.reason().name());
        testimony.put("text", said.text());
        testimony.put("at", said.at().at().toString());
        testimony.put("took", said.took().toString());
        return testimony;
    }

    private static Map<String, Object> shown(Section<?> section) {
        return section.value() == null ? Map.of("error", String.valueOf(section.error())) : Json.plain(section.value());
    }
}
