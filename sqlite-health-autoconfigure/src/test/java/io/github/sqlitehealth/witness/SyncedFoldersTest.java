package io.github.sqlitehealth.witness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SyncedFoldersTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "/home/u/Dropbox/app/a.db, Dropbox (/home/u/Dropbox)",
        "/home/u/Dropbox (Company)/a.db, Dropbox (/home/u/Dropbox (Company))",
        "/mnt/c/Users/u/OneDrive/a.db, OneDrive (/mnt/c/Users/u/OneDrive)",
        "/mnt/c/Users/u/OneDrive - Company/x/a.db, OneDrive (/mnt/c/Users/u/OneDrive - Company)",
        "/Users/u/Library/CloudStorage/OneDrive-Company/a.db, OneDrive (/Users/u/Library/CloudStorage/OneDrive-Company)",
        "/Users/u/Library/Mobile Documents/x/a.db, iCloud Drive (/Users/u/Library/Mobile Documents)",
        "/home/u/Google Drive/a.db, Google Drive (/home/u/Google Drive)",
        "/Users/u/Library/CloudStorage/GoogleDrive-u@g.com/a.db,"
                + " Google Drive (/Users/u/Library/CloudStorage/GoogleDrive-u@g.com)"
    })
    void byTheNameOfAFolder(Path file, String expected) {
        assertThat(new SyncedFolders().above(file)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv/dropbox-importer/a.db",
                "/srv/Dropboxes/a.db",
                "/var/www/nextcloud/data/a.db",
                "/srv/Dropbox.db",
                "/srv/drive/a.db",
                "/a.db",
                "a.db"
            })
    void otherNames(Path file) {
        assertThat(new SyncedFolders().above(file)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        ".stfolder, Syncthing",
        ".stversions, Syncthing",
        ".sync_1a2b3c4d5e6f.db, Nextcloud",
        "._sync_1a2b3c4d5e6f.db, Nextcloud",
        ".csync_journal.db, ownCloud",
        ".owncloudsync.log, ownCloud",
        ".dropbox.cache, Dropbox",
        ".tmp.drivedownload, Google Drive"
    })
    void byWhatTheProgramLeaves(String marker, String program) throws Exception {
        Path deep = Files.createDirectories(folder.resolve("shared/a/b"));
        Path left = Files.createFile(folder.resolve("shared").resolve(marker));
        assertThat(new SyncedFolders().above(deep.resolve("a.db"))).isEqualTo(program + " (" + left + ")");
        assertThat(new SyncedFolders().above(folder.resolve("a.db"))).isNull();
    }

    @Test
    void otherHiddenFiles() throws Exception {
        for (String name : new String[] {".sync", ".git", ".sync_me.txt", "stfolder", ".stignore"}) {
            Files.createFile(folder.resolve(name));
        }
        assertThat(new SyncedFolders().above(folder.resolve("a.db"))).isNull();
    }
}
