package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.witness.ContentRules;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A database with sidecars of its own, a backup of it, and what people ask for. */
final class Scene {

    static final int BACKED_UP = 300;
    static final int SINCE = 5;

    final Path folder;
    final Path database;
    final Path backup;
    final Path forensics;

    private Scene(Path folder) throws Exception {
        this.folder = Files.createDirectories(folder);
        this.database = folder.resolve("app é ?.db");
        this.backup = folder.resolve("backups").resolve("good.db");
        this.forensics = folder.resolve("forensics");
    }

    /** Damaged, with rows in a -wal that whoever wrote them was killed over. */
    static Scene damaged(Path folder) throws Exception {
        Scene scene = sound(folder);
        Outside.overwrite(scene.database, 5);
        return scene;
    }

    static Scene sound(Path folder) throws Exception {
        Scene scene = new Scene(folder);
        Outside.database(scene.database, BACKED_UP);
        Outside.sqlite3(scene.database, "PRAGMA application_id=77; PRAGMA user_version=5");
        Files.createDirectory(scene.backup.getParent());
        Outside.sqlite3(scene.database, "VACUUM INTO '" + scene.backup + "'");
        for (int row = 0; row < SINCE; row++) {
            scene.insertAndBeKilled("INSERT INTO t(body) VALUES('since')");
        }
        return scene;
    }

    void insertAndBeKilled(String sql) throws Exception {
        Outside.sh("sqlite3 -batch \"$1\" \"$2\" '.shell kill -9 $PPID' || true", database, sql);
    }

    RestoreRequest request() {
        return request(backup);
    }

    RestoreRequest request(@Nullable Path from) {
        return keeping(from, 5);
    }

    RestoreRequest keeping(@Nullable Path from, int archives) {
        return new RestoreRequest(
                database,
                forensics,
                from,
                from == null ? RestoreRequest.START_FRESH : from.toString(),
                false,
                false,
                false,
                archives,
                RestoreDemands.NONE,
                Duration.ofMinutes(1));
    }

    RestoreRequest forced(@Nullable Path from, String asked) {
        RestoreRequest plain = request();
        return new RestoreRequest(
                database, forensics, from, asked, true, false, false, 5, plain.demands(), plain.checkLimit());
    }

    RestoreRequest dry() {
        RestoreRequest plain = request();
        return new RestoreRequest(
                database, forensics, backup, plain.asked(), false, false, true, 5, plain.demands(), plain.checkLimit());
    }

    RestoreRequest demanding(Path from, @Nullable Long maxUserVersion, Map<String, Long> floors, String... tables) {
        RestoreRequest plain = request(from);
        RestoreDemands demands = new RestoreDemands(new ContentRules(List.of(tables), floors), maxUserVersion, null);
        return new RestoreRequest(
                database, forensics, from, plain.asked(), false, false, false, 5, demands, plain.checkLimit());
    }

    /** By another process, which may leave its own files behind. */
    long rows() throws Exception {
        return Long.parseLong(Outside.sqlite3(database, "SELECT count(*) FROM t"));
    }

    List<String> names() {
        return Arrays.stream(folder.toFile().list()).sorted().toList();
    }

    String name() {
        return database.getFileName().toString();
    }

    Path beside(String suffix) {
        return DatabaseFiles.beside(database, suffix);
    }

    static String sum(Path file) throws Exception {
        return DurableFiles.sha256(file);
    }

    /**
     * All that is below the folder: inode, size, time, permissions, owner and content. Of a -shm only that it is the same
     * file, since every reader of a -wal writes its index anew.
     */
    static String listing(Path folder) throws Exception {
        return Outside.sh(
                "cd \"$1\" && find . -type f ! -name '*-shm' -printf '%P %i %s %T@ %m %u\\n' | sort"
                        + " && find . -name '*-shm' -printf '%P %i\\n' | sort"
                        + " && find . -type f ! -name '*-shm' -readable -print0 | sort -z | xargs -0 -r sha256sum",
                folder);
    }
}
