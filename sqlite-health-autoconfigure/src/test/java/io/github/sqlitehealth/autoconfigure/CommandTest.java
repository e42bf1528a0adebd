package io.github.sqlitehealth.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.fixture.Outside;
import io.github.sqlitehealth.forensics.ForensicsDirectory;
import io.github.sqlitehealth.recovery.CorruptMarker;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is typed, what it does, what it says and with which code it ends. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandTest {

    @TempDir
    Path folder;

    private Path database;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void create() throws Exception {
        database = Outside.database(folder.resolve("app é ?.db"), 300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help", "check --help"})
    void help(String typed) {
        assertThat(run(typed.split(" "))).isZero();
        assertThat(said()).startsWith("Usage: ").contains("Exit codes: 0 ");
        for (CommandAction action : CommandAction.values()) {
            assertThat(said()).contains("  " + action.word() + " ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--database=x",
                "chekc --database=x",
                "check",
                "check --database=",
                "check --database",
                "check --database=x --database=y",
                "check --database=x --force",
                "check --database=x --json=yes",
                "check --database x",
                "check now --database=x",
                "restore --database=x",
                "rescue --pid=x --to=y",
                "rescue --pid=-1 --to=y",
                "rescue --pid=1",
                "backup --database=x --dry-run"
            })
    void whatMakesNoSenseIsSaidInOneLine(String typed) throws Exception {
        assertThat(run(typed.isEmpty() ? new String[0] : typed.split(" "))).isEqualTo(2);
        assertThat(said()).isEmpty();
        assertThat(complained()).hasLineCount(1).endsWith("; see --help\n");
        assertThat(names()).containsExactly(database.getFileName().toString());
    }

    @Test
    void aSoundDatabase() throws Exception {
        assertThat(run("check", db())).isZero();
        assertThat(said()).startsWith(database + " is sound\n");
        assertThat(names()).containsExactly(database.getFileName().toString());
    }

    @Test
    void whatIsWrongWithADatabase() throws Exception {
        Outside.overwrite(database, 5);
        assertThat(run("check", db())).isEqualTo(1);
        assertThat(said()).startsWith(database + " is damaged: ");

        Outside.sh("rm \"$1\"", database);
        assertThat(run("check", db())).isEqualTo(1);
        assertThat(said()).startsWith(database + " is missing");

        Outside.sh(": > \"$1\"", database);
        assertThat(run("check", db())).isEqualTo(1);
        assertThat(said()).startsWith(database + " is an empty file");
        assertThat(names()).containsExactly(database.getFileName().toString());
    }

    @Test
    void whatCannotBeAskedIsNoAllClear() throws Exception {
        assertThat(run("check", "--database=" + folder)).isEqualTo(3);
        assertThat(said()).startsWith(folder + " is a directory: name the main file in it\n");
        assertThat(run("status", "--database=" + folder)).isEqualTo(1);
        assertThat(said()).startsWith(folder + " is a directory: name the main file in it\n");
    }

    @Test
    void whoIsStrandedMakesTheFileAtThePlaceNoAllClear() throws Exception {
        Process shell = new ProcessBuilder("sqlite3", "-batch", database.toString()).start();
        try {
            shell.outputWriter().write("INSERT INTO t(body) VALUES('lost');\n.print done\n");
            shell.outputWriter().flush();
            assertThat(shell.inputReader().readLine()).isEqualTo("done");
            Outside.sh("rm \"$1-wal\" \"$1-shm\"", database);

            assertThat(run("check", db())).isEqualTo(1);
            assertThat(said()).contains(" is sound\n", "process " + shell.pid() + " (sqlite3) is stranded");
            assertThat(names()).containsExactly(database.getFileName().toString());
            assertThat(run("status", db(), "--json")).isEqualTo(1);
            assertThat(json().path("verdict").asString()).isEqualTo("STRANDED");
            assertThat(json().path("holders").get(0).path("pid").asLong()).isEqualTo(shell.pid());
            assertThat(run("backup", db())).isEqualTo(1);
            assertThat(complained()).contains("No backup was taken", "process " + shell.pid());
            assertThat(run("restore", db(), "--from=latest", "--force")).isEqualTo(1);
            assertThat(run("start-fresh", db(), "--force")).isEqualTo(1);
            assertThat(complained()).contains("is held by process " + shell.pid());
            assertThat(run("rescue", "--pid=" + shell.pid(), "--to=" + folder.resolve("rescue.db")))
                    .isZero();
            assertThat(said()).contains("rescue.db is a copy of ", ": 301 rows in 1 table", "stood still for ");
        } finally {
            shell.destroyForcibly().waitFor();
        }
    }

    @Test
    void aBackupAndBack() throws Exception {
        assertThat(run("backup", db(), "--json")).isZero();
        Path backup = Path.of(json().path("file").asString());
        assertThat(backup).exists();
        assertThat(backup.getFileName().toString()).startsWith("dataSource-");
        assertThat(json().path("facts").path("rows").path("t").asLong()).isEqualTo(300);

        assertThat(run("restore", db(), "--from=latest")).isZero();
        assertThat(said()).contains("is sound; nothing is restored");

        Outside.overwrite(database, 5);
        String before = listing();
        assertThat(run("restore", db(), "--from=latest", "--dry-run")).isZero();
        assertThat(said()).contains(" would be moved aside");
        assertThat(run("start-fresh", db(), "--dry-run")).isZero();
        assertThat(listing()).isEqualTo(before);

        assertThat(run("restore", db(), "--from=latest")).isZero();
        assertThat(said()).contains("has been restored from " + backup, "the original is kept as ");
        assertThat(Outside.sqlite3(database, "SELECT count(*) FROM t")).isEqualTo("300");
        assertThat(run("status", db())).isZero();
        assertThat(said()).contains("  archive   " + database + ".corrupt-", "verified, 300 rows");
    }

    @Test
    void whatIsTypedAgainIsDoneAgain() throws Exception {
        assertThat(run("backup", db())).isZero();
        for (int time = 0; time < 2; time++) {
            Outside.overwrite(database, 5);
            assertThat(run("restore", db(), "--from=latest")).isZero();
            assertThat(run("check", db())).isZero();
        }
    }

    @Test
    void theNameOfItsBackupsIsThatOfThoseThereAre() throws Exception {
        assertThat(run("backup", db(), "--name=orders")).isZero();
        assertThat(run("backup", db())).isZero();
        assertThat(said()).contains("-backups/orders-");
        assertThat(run("status", db(), "--json")).isZero();
        assertThat(json().path("name").asString()).isEqualTo("orders");
        assertThat(json().path("backups")).hasSize(2);
        assertThat(run("restore", db(), "--from=latest", "--force")).isZero();
    }

    @Test
    void aDirectoryOfBackupsThatSeveralShare() throws Exception {
        Path shared = folder.resolve("shared");
        assertThat(run("backup", db(), "--backups=" + shared)).isZero();
        Path other = Outside.database(folder.resolve("other.db"), 3);
        assertThat(run("backup", "--database=" + other, "--backups=" + shared)).isEqualTo(1);
        assertThat(complained()).contains("another database of the name dataSource");
        assertThat(run("backup", "--database=" + other, "--backups=" + shared, "--name=other"))
                .isZero();
        Outside.overwrite(database, 5);
        assertThat(run("restore", db(), "--from=latest", "--backups=" + shared)).isZero();
        assertThat(Outside.sqlite3(database, "SELECT count(*) FROM t")).isEqualTo("300");
    }

    @Test
    void whatIsRefusedIsSaidInOneLine() throws Exception {
        Outside.overwrite(database, 5);
        String before = listing();
        assertThat(run("restore", db(), "--from=latest")).isEqualTo(1);
        assertThat(complained()).contains("there is no verified backup of the name dataSource in ");
        assertThat(run("restore", db(), "--from=" + folder.resolve("none.db"))).isEqualTo(1);
        assertThat(complained()).contains("none.db does not exist");
        assertThat(run("backup", "--database=" + folder.resolve("none.db"))).isEqualTo(1);
        assertThat(complained()).contains("none.db does not exist").hasLineCount(1);
        assertThat(listing()).isEqualTo(before);
        assertThat(run("backup", db())).isEqualTo(1);
        assertThat(complained()).contains("did not pass its check").hasLineCount(1);
    }

    /** Whoever mistypes the name learns it before the day on which the copy is needed. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--dry-run", "--force"})
    void aCopyThatIsNotThereIsRefusedAlsoWhereThereIsNoNeedOfIt(String option) throws Exception {
        String before = listing();
        String[] typed = ("restore " + option).strip().split(" ");
        List<String> all = new ArrayList<>(Arrays.asList(typed));
        all.addAll(List.of(db(), "--from=" + folder.resolve("none.db")));
        assertThat(run(all.toArray(String[]::new))).isEqualTo(1);
        assertThat(said()).isEmpty();
        assertThat(complained())
                .isEqualTo(folder.resolve("none.db") + " does not exist; nothing is restored from it\n");
        assertThat(listing()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--force", "--dry-run"})
    void aDatabaseThatNobodyKnowsIsNotStartedFresh(String option) throws Exception {
        String before = listing();
        List<String> typed = new ArrayList<>(List.of("start-fresh", "--database=" + folder.resolve("typo.db")));
        if (!option.isEmpty()) {
            typed.add(option);
        }
        assertThat(run(typed.toArray(String[]::new))).isEqualTo(1);
        assertThat(said()).isEmpty();
        assertThat(complained())
                .startsWith(folder.resolve("typo.db") + " does not exist and nothing is known of it")
                .hasLineCount(1);
        assertThat(listing()).isEqualTo(before);
    }

    @Test
    void oneThatIsGoneButKnownIsStartedFresh() throws Exception {
        assertThat(run("backup", db())).isZero();
        Outside.sh("rm \"$1\"", database);
        assertThat(run("start-fresh", db())).isZero();
    }

    @Test
    void aBackupOfOneThatSomebodyHasLockedCouldNotAsk() throws Exception {
        Path locked = Outside.database(folder.resolve("locked.db"), 3, "delete");
        Process shell = new ProcessBuilder("sqlite3", "-batch", locked.toString()).start();
        try {
            shell.outputWriter().write("BEGIN EXCLUSIVE;\n.print done\n");
            shell.outputWriter().flush();
            assertThat(shell.inputReader().readLine()).isEqualTo("done");
            assertThat(run("backup", "--database=" + locked)).isEqualTo(3);
            assertThat(complained()).contains("locked").hasLineCount(1);
        } finally {
            shell.destroyForcibly().waitFor();
        }
        assertThat(run("backup", "--database=" + locked)).isZero();
    }

    @Test
    void theCopyThatWasRestoredIsToldByNumbers() throws Exception {
        Path copy = folder.resolve("copy.db");
        Outside.sqlite3(database, ".backup '" + copy + "'");
        assertThat(run("restore", db(), "--from=" + copy, "--force", "--json")).isZero();
        assertThat(json().path("identity").asString())
                .matches("device \\d+, inode \\d+, " + Files.size(copy) + " bytes of .*Z");
    }

    @Test
    void startFresh() throws Exception {
        assertThat(run("start-fresh", db())).isZero();
        assertThat(said()).isEqualTo(database + " is sound; nothing is moved aside\n");
        assertThat(database).exists();

        assertThat(run("start-fresh", db(), "--force", "--json")).isZero();
        assertThat(json().path("outcome").asString()).isEqualTo("STARTED_FRESH");
        assertThat(database).doesNotExist();
    }

    @Test
    void whatWasInterruptedIsFinishedFirst() throws Exception {
        assertThat(run("backup", db())).isZero();
        Outside.overwrite(database, 5);
        Files.createFile(database.resolveSibling(database.getFileName() + ".restoring"));

        assertThat(run("status", db())).isEqualTo(1);
        assertThat(said()).contains("is being restored, or that was interrupted");
        assertThat(run("restore", db(), "--from=latest", "--dry-run")).isEqualTo(1);
        assertThat(complained()).contains("finish that first");
        assertThat(run("restore", db(), "--from=latest")).isZero();
        assertThat(run("check", db())).isZero();
    }

    @Test
    void theStatusIsWhatIsKnown() throws Exception {
        assertThat(run("status", db())).isZero();
        assertThat(said()).contains("nothing is known against it", "backups   none of the name dataSource");

        new CorruptMarker(Instant.parse("2026-07-15T12:00:00Z"), "DAMAGED", "btree", null).write(database);
        assertThat(run("status", db(), "--json")).isEqualTo(1);
        assertThat(json().path("verdict").asString()).isEqualTo("DAMAGED");
        assertThat(json().path("marker").path("text").asString()).isEqualTo("btree");
        assertThat(json().path("files").path("main").path("bytes").asLong()).isEqualTo(Files.size(database));
    }

    @Test
    void aMarkerThatNobodyUnderstandsCountsFromAnUnknownTime() throws Exception {
        Files.writeString(database.resolveSibling(database.getFileName() + ".corrupt"), "nobody knows why");
        assertThat(run("status", db())).isEqualTo(1);
        assertThat(said()).contains("was found damaged at an unknown time: the marker cannot be understood");
    }

    @Test
    void theStatusIsWhatTheApplicationHasWrittenDown() throws Exception {
        Path forensics = folder.resolve("elsewhere");
        new ForensicsDirectory(forensics)
                .write("state.json", ("""
                        {"file": "%s", "incident": {"id": "i", "since": "2026-07-15T12:00:00Z", "verdicts": ["EMPTIED"]},
                         "findings": [{"verdict": "EMPTIED", "source": "QUICK", "confirmed": true, "text": "rows are gone",
                           "since": "2026-07-15T12:00:00Z"}], "incidents": [], "transients": 0}
                        """).formatted(database).getBytes(StandardCharsets.UTF_8));
        Files.writeString(forensics.resolve("rescue-20260715T120000.000Z.db"), "");

        assertThat(run("status", db(), "--forensics=" + forensics)).isEqualTo(1);
        assertThat(said())
                .contains(
                        "is EMPTIED since 2026-07-15T12:00:00Z: rows are gone",
                        "  incident  open since 2026-07-15T12:00:00Z: EMPTIED",
                        "  rescued   " + forensics);
        assertThat(run("backup", db(), "--forensics=" + forensics)).isEqualTo(1);
        assertThat(complained()).contains("is EMPTIED");
    }

    /** The table of the README is that of the code. */
    @Test
    void readme() throws Exception {
        Map<String, List<String>> described = new LinkedHashMap<>();
        List<String> lines = Files.readAllLines(Path.of("..", "README.md"));
        for (String row : lines.subList(lines.indexOf("| command | options | what it does |") + 2, lines.size())) {
            if (!row.startsWith("|")) {
                break;
            }
            String[] cells = row.split("\\|");
            described.put(
                    cells[1].replace("`", "").strip(),
                    Arrays.stream(cells[2].replace("`", "").split(","))
                            .map(String::strip)
                            .sorted()
                            .toList());
        }
        Map<String, List<String>> real = new LinkedHashMap<>();
        for (CommandAction action : CommandAction.values()) {
            real.put(
                    action.word(),
                    Stream.concat(
                                    action.needed().stream().map(option -> "--" + option),
                                    action.allowed().stream().map(option -> "[--" + option + "]"))
                            .sorted()
                            .toList());
        }
        assertThat(described).isEqualTo(real);
    }

    private String db() {
        return "--database=" + database;
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        return new CommandRun(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8))
                .run(args);
    }

    private String said() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String complained() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private JsonNode json() {
        return JsonMapper.shared().readTree(said());
    }

    private String listing() throws Exception {
        return Outside.sh(
                "cd \"$1\" && find . -printf '%P %i %s %T@\\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum",
                folder);
    }

    private List<String> names() {
        List<String> names = new ArrayList<>(Arrays.asList(folder.toFile().list()));
        names.sort(null);
        return names;
    }
}
