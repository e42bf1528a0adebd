package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.forensics.Memory;
import io.github.sqlitehealth.forensics.Remembered;
import io.github.sqlitehealth.os.FileFacts;
import io.github.sqlitehealth.recovery.DatabaseStatus.ArchiveStatus;
import io.github.sqlitehealth.recovery.DatabaseStatus.BackupStatus;
import io.github.sqlitehealth.recovery.DatabaseStatus.FileStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts together what is known of a database. Neither opens nor changes it. */
public final class StatusReader {

    private final Path main;
    private final Path forensics;
    private final String name;
    private final BackupDirectory backups;

    /**
     * @param main without symbolic links
     * @param forensics the directory of its evidence
     * @param name under which its backups are kept
     */
    public StatusReader(Path main, Path forensics, String name, BackupDirectory backups) {
        this.main = main;
        this.forensics = forensics;
        this.name = name;
        this.backups = backups;
    }

    /**
     * Looks.
     *
     * @throws IOException when a directory cannot be read
     * @throws RestoreRefusedException when the thread is interrupted meanwhile
     */
    public DatabaseStatus read() throws IOException, RestoreRefusedException {
        Optional<Remembered> memory = Memory.peek(new ForensicsDirectory(forensics), main);
        DatabaseUsers users = DatabaseUsers.of(main);
        CorruptMarker marker = CorruptMarker.of(main).orElse(null);
        boolean interrupted = Files.exists(RestoreJournal.beside(main));
        Map<String, FileStatus> files = files();
        List<BackupStatus> copies = backups();
        Objection against = Objection.to(main, files.get("main"), interrupted, users, memory, marker);
        return new DatabaseStatus(
                main.toString(),
                name,
                against == null,
                against == null ? null : against.verdict(),
                main + (against == null ? ": nothing is known against it" : " " + against.text()),
                files,
                marker,
                memory.map(Remembered::incident).orElse(null),
                memory.map(Remembered::findings).orElse(List.of()),
                memory.map(Remembered::content).orElse(null),
                backups.path().toString(),
                copies,
                rescued(),
                archives(),
                interrupted,
                users.others(),
                users.unseen(),
                restore(users, copies, interrupted, against != null));
    }

    private static String restore(
            DatabaseUsers users, List<BackupStatus> backups, boolean interrupted, boolean needed) {
        if (interrupted) {
            return "first the interrupted one has to be finished: restore does that";
        }
        if (users.any()) {
            return "not now: it is held by " + users.named();
        }
        Optional<BackupStatus> latest =
                backups.stream().filter(BackupStatus::verified).findFirst();
        if (latest.isEmpty()) {
            return "there is no verified backup";
        }
        return "possible from " + latest.get().file()
                + (needed ? "" : ", if a check finds that it is needed, or with --force");
    }

    private Map<String, FileStatus> files() throws IOException {
        Map<String, FileStatus> files = new LinkedHashMap<>();
        for (String end : List.of("", "-wal", "-shm", "-journal")) {
            FileFacts facts = FileFacts.of(DatabaseFiles.beside(main, end));
            if (facts != null) {
                long inode = facts.id() == null ? 0 : facts.id().inode();
                files.put(
                        end.isEmpty() ? "main" : end.substring(1),
                        new FileStatus(facts.size(), facts.modified(), inode));
            }
        }
        return files;
    }

    private List<BackupStatus> backups() {
        List<BackupStatus> all = new ArrayList<>();
        for (Backup backup : backups.list()) {
            CopyFacts facts = backup.facts();
            Long rows = facts == null ? null : Long.valueOf(facts.allRows());
            all.add(new BackupStatus(backup.file().toString(), backup.at(), backup.verified(), backup.why(), rows));
        }
        return all;
    }

    private List<String> rescued() throws IOException {
        List<String> rescued = new ArrayList<>();
        if (Files.isDirectory(forensics)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(forensics, "rescue-*.db")) {
                found.forEach(file -> rescued.add(file.toString()));
            }
        }
        rescued.sort(Collections.reverseOrder());
        return rescued;
    }

    private List<ArchiveStatus> archives() throws IOException {
        if (!Files.isDirectory(main.resolveSibling("."))) {
            return List.of();
        }
        return new Archives(main)
                .list().stream()
                        .map(archive -> new ArchiveStatus(
                                archive.time(),
                                archive.files().stream().map(Path::toString).toList(),
                                archive.bytes()))
                        .toList();
    }
}
