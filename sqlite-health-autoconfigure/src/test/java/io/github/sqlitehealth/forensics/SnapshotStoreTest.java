package io.github.sqlitehealth.forensics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.sqlitehealth.fixture.Outside;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class SnapshotStoreTest {

    private static final Retention PLENTY = new Retention(200, 64 << 20);

    @TempDir
    Path folder;

    private int number;

    @Test
    void aSnapshotOfAnEarlierProcessIsListedAndFoundAgain() {
        store(PLENTY).add(entry("incident-1"), content("some evidence"));
        SnapshotStore reopened = store(PLENTY);
        assertThat(reopened.entries()).singleElement().satisfies(entry -> {
            assertThat(entry.incident()).isEqualTo("incident-1");
            assertThat(entry.at()).isEqualTo(Instant.EPOCH);
            assertThat(reopened.read(entry.id()).orElseThrow()).containsEntry("evidence", "some evidence");
        });
    }

    @Test
    void nothingIsCreatedUntilThereIsSomethingToWrite() {
        store(PLENTY);
        assertThat(directory()).doesNotExist();
    }

    @Test
    void retentionByCountKeepsTheNewestAndTheFirstAndLastOfEachIncident() throws IOException {
        SnapshotStore store = store(new Retention(8, 64 << 20));
        List<String> first = add(store, "incident-1", 5);
        add(store, null, 5);
        List<String> second = add(store, "incident-2", 5);
        List<String> newest = add(store, null, 5);
        assertThat(ids(store)).hasSize(8).contains(first.get(0), first.get(4), second.get(0), second.get(4));
        assertThat(ids(store)).containsAll(newest.subList(1, 5)).doesNotContain(newest.get(0));
        everyListedOneIsFoundAfterReopening(store, 8);
    }

    @Test
    void retentionBySizeKeepsWithinTheBound() throws IOException {
        SnapshotStore store = store(new Retention(200, 100_000));
        add(store, "incident-1", 3, "x".repeat(10_000));
        add(store, null, 40, "x".repeat(10_000));
        assertThat(size()).isBetween(80_000L, 100_000L);
        assertThat(store.entries())
                .extracting(SnapshotEntry::incident)
                .filteredOn(i -> i != null)
                .hasSize(2);
        everyListedOneIsFoundAfterReopening(store, store.entries().size());
    }

    @Test
    void boundsThatCannotBeKeptCostNoProtectedSnapshotAndNotTheNewestOne() throws IOException {
        SnapshotStore store = store(new Retention(1, 1));
        List<String> first = add(store, "incident-1", 4);
        List<String> other = add(store, null, 3);
        assertThat(ids(store)).containsExactly(first.get(0), first.get(3), other.get(2));
        everyListedOneIsFoundAfterReopening(store, 3);
    }

    @Test
    void aBoundThatHasBecomeSmallerIsKeptFromTheStart() throws IOException {
        add(store(PLENTY), null, 30);
        assertThat(store(new Retention(10, 64 << 20)).entries()).hasSize(10);
        assertThat(files()).hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "null",
                "[]",
                "not json at all",
                "{\"id\":\"other\"}",
                "{\"id\":\"broken\"}",
                "{\"id\":\"broken\",\"at\":\"yesterday\",\"reason\":\"r\",\"verdict\":\"v\"}"
            })
    void aMalformedSnapshotIsKeptUnderAnotherNameAndSaidOnce(String content) throws Exception {
        add(store(PLENTY), null, 2);
        Files.writeString(directory().resolve("snapshot-broken.json"), content);
        List<ILoggingEvent> said = listening(ForensicsDirectory.class, () -> {
            SnapshotStore store = store(PLENTY);
            assertThat(store.entries()).hasSize(2);
            assertThat(store.read("broken")).isEmpty();
            add(store, null, 1);
            store(PLENTY);
        });
        assertThat(said)
                .singleElement()
                .satisfies(
                        event -> assertThat(event.getFormattedMessage()).contains("snapshot-broken.json", "corrupt-"));
        assertThat(files()).hasSize(3);
        try (Stream<Path> all = Files.list(directory())) {
            assertThat(all.filter(file -> file.getFileName().toString().startsWith("snapshot-broken.json.corrupt-")))
                    .singleElement()
                    .satisfies(kept -> assertThat(kept).hasContent(content));
        }
    }

    @Test
    void aSnapshotThatCannotBeReadTodayIsNotCalledMalformed() throws Exception {
        SnapshotStore store = store(PLENTY);
        add(store, null, 1);
        Files.createDirectory(directory().resolve("snapshot-unreadable.json"));
        assertThat(store(PLENTY).entries()).hasSize(1);
        assertThat(directory().resolve("snapshot-unreadable.json")).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "..", "", "/etc/passwd", "..%2F..%2Fetc%2Fpasswd", "a/b", "\0", "state"})
    void anIdThatIsNotListedFindsNothing(String id) throws Exception {
        SnapshotStore store = store(PLENTY);
        add(store, null, 1);
        Files.writeString(folder.resolve("x.json"), "{\"secret\":1}");
        Files.writeString(folder.resolve("snapshot-x.json"), "{\"secret\":1}");
        assertThat(store.read(id)).isEmpty();
    }

    @Test
    void aListedSnapshotThatHasGoneIsNotFoundAndNoError() throws Exception {
        SnapshotStore store = store(PLENTY);
        List<String> ids = add(store, null, 2);
        Files.delete(directory().resolve("snapshot-" + ids.get(0) + ".json"));
        assertThat(store.read(ids.get(0))).isEmpty();
        add(store, null, 1);
        assertThat(ids(store))
                .as("the list is what is there")
                .doesNotContain(ids.get(0))
                .hasSize(2);
    }

    @Test
    void onlyTheOwnerCanReadTheEvidence() throws Exception {
        add(store(PLENTY), null, 1);
        new Memory(new ForensicsDirectory(directory()), Path.of("/data/app.db"), Clock.systemUTC())
                .keep(new Remembered("/data/app.db", null, List.of(), List.of(), null, 0, null));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
        try (Stream<Path> all = Files.list(directory())) {
            List<Path> files = all.toList();
            assertThat(files).hasSize(3);
            for (Path file : files) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo("rw-------");
            }
        }
    }

    /** As root no permission stops anybody, so a file stands in the way. */
    @Test
    void whereNothingCanBeWrittenTheNewestTenAreKeptInMemoryAndSaidOnce() throws Exception {
        Files.writeString(directory(), "in the way");
        List<String> ids = new ArrayList<>();
        SnapshotStore store = store(PLENTY);
        List<ILoggingEvent> said = listening(SnapshotStore.class, () -> ids.addAll(add(store, "incident-1", 25)));
        assertThat(said)
                .filteredOn(event ->
                        event.getFormattedMessage().contains(directory().toString()))
                .hasSize(1);
        assertThat(ids(store)).isEqualTo(ids.subList(15, 25));
        assertThat(store.read(ids.get(24)).orElseThrow()).containsEntry("evidence", "e");
        assertThat(directory()).hasContent("in the way");
    }

    @Test
    void whatCouldNotBeWrittenIsStillThereWhenTheDiskWorksAgain() throws Exception {
        Files.writeString(directory(), "in the way");
        SnapshotStore store = store(new Retention(3, 64 << 20));
        List<String> inMemory = add(store, null, 2);
        Files.delete(directory());
        List<String> written = add(store, null, 2);
        assertThat(ids(store)).containsExactly(inMemory.get(1), written.get(0), written.get(1));
        assertThat(store.read(inMemory.get(1))).isPresent();
    }

    @Test
    void aFullDiskCostsNoVerdictAndLeavesNoHalfFile() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        try {
            Outside.run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.toString());
        } catch (IOException ex) {
            abort("a small file system cannot be mounted here (not root?), so a full disk cannot be acted: " + ex);
        }
        try {
            Path directory = disk.resolve("forensics");
            SnapshotStore store = new SnapshotStore(new ForensicsDirectory(directory), PLENTY, Clock.systemUTC());
            List<String> ids = add(store, null, 8, "x".repeat(12_000));
            assertThat(ids(store)).isEqualTo(ids);
            for (String id : ids) {
                assertThat(store.read(id)).as(id).isPresent();
            }
            SnapshotStore reopened = new SnapshotStore(new ForensicsDirectory(directory), PLENTY, Clock.systemUTC());
            assertThat(reopened.entries()).hasSizeBetween(1, 6);
            try (Stream<Path> all = Files.list(directory)) {
                assertThat(all).allSatisfy(file -> assertThat(file.toString()).endsWith(".json"));
            }
        } finally {
            Outside.run("umount", disk.toString());
        }
    }

    @Test
    void killedInTheMiddleOfWritingItLeavesOnlyWholeFiles() throws Exception {
        for (int kill = 0; kill < 3; kill++) {
            String last;
            try (Child child = Child.writing(directory())) {
                for (int line = 0; line < 5 + kill; line++) {
                    last = child.hear();
                    assertThat(last).isNotNull();
                }
                // Somewhere in the middle of the next one; any place will do, since no file is seen half written
                // before.
                whatIsThereIsWholeAtAnyMoment(Duration.ofMillis(300));
            }
            List<ILoggingEvent> said = listening(ForensicsDirectory.class, () -> {
                SnapshotStore store = store(PLENTY);
                assertThat(store.entries()).isNotEmpty();
                for (SnapshotEntry entry : store.entries()) {
                    assertThat(store.read(entry.id()).orElseThrow().get("filling"))
                            .isEqualTo("x".repeat(1 << 20));
                }
            });
            assertThat(said)
                    .filteredOn(event ->
                            event.getFormattedMessage().contains(directory().toString()))
                    .as("nothing is malformed")
                    .isEmpty();
        }
    }

    private void whatIsThereIsWholeAtAnyMoment(Duration time) throws IOException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            List<Path> newest = files();
            Path file = newest.stream().max(Path::compareTo).orElseThrow();
            try {
                byte[] content = Files.readAllBytes(file);
                assertThat(content.length).as("%s", file).isGreaterThan(1 << 20);
                assertThat(content[content.length - 1]).isEqualTo((byte) '}');
            } catch (NoSuchFileException ex) {
                assertThat(file).as("retention has removed it").doesNotExist();
            }
        }
    }

    @Test
    void whatAKilledProcessLeftHalfWrittenIsRemovedOnceItIsOld() throws Exception {
        add(store(PLENTY), null, 1);
        Path old = Files.writeString(directory().resolve("snapshot-a.json-1.tmp"), "{\"id");
        Path young = Files.writeString(directory().resolve("snapshot-b.json-2.tmp"), "{\"id");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        assertThat(store(PLENTY).entries()).hasSize(1);
        assertThat(old).doesNotExist();
        assertThat(young).as("somebody may be writing it at this moment").exists();
    }

    private void everyListedOneIsFoundAfterReopening(SnapshotStore store, int count) throws IOException {
        SnapshotStore reopened = store(PLENTY);
        assertThat(ids(reopened)).isEqualTo(ids(store)).hasSize(count);
        assertThat(files()).hasSize(count);
        for (String id : ids(reopened)) {
            assertThat(store.read(id)).as(id).isPresent();
            assertThat(reopened.read(id).orElseThrow()).containsEntry("id", id);
        }
    }

    private Path directory() {
        return folder.resolve("app.db-forensics");
    }

    private SnapshotStore store(Retention retention) {
        return new SnapshotStore(new ForensicsDirectory(directory()), retention, Clock.systemUTC());
    }

    private List<String> add(SnapshotStore store, @Nullable String incident, int count) {
        return add(store, incident, count, "e");
    }

    private List<String> add(SnapshotStore store, @Nullable String incident, int count, String evidence) {
        List<String> ids = new ArrayList<>();
        for (int each = 0; each < count; each++) {
            SnapshotEntry entry = entry(incident);
            Map<String, Object> content = new LinkedHashMap<>(content(evidence));
            content.put("id", entry.id());
            content.put("at", entry.at().toString());
            if (incident != null) {
                content.put("incident", incident);
            }
            store.add(entry, content);
            ids.add(entry.id());
        }
        return ids;
    }

    private SnapshotEntry entry(@Nullable String incident) {
        return new SnapshotEntry(String.format("id-%05d", ++number), Instant.EPOCH, "test", "DAMAGED", incident);
    }

    private Map<String, Object> content(String evidence) {
        return Map.of(
                "id", String.format("id-%05d", number),
                "at", "1970-01-01T00:00:00Z",
                "reason", "test",
                "verdict", "DAMAGED",
                "incident", "incident-1",
                "evidence", evidence);
    }

    private static List<String> ids(SnapshotStore store) {
        return store.entries().stream().map(SnapshotEntry::id).toList();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory())) {
            return all.filter(file -> file.toString().endsWith(".json")).toList();
        }
    }

    private long size() throws IOException {
        long size = 0;
        for (Path file : files()) {
            size += Files.size(file);
        }
        return size;
    }

    private interface Act {
        void run() throws Exception;
    }

    /** What a class logs about this test's folder. */
    private List<ILoggingEvent> listening(Class<?> type, Act act) throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(type);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        try {
            act.run();
        } finally {
            logger.detachAppender(appender);
        }
        return new ArrayList<>(appender.list)
                .stream()
                        .filter(event -> event.getFormattedMessage().contains(folder.toString()))
                        .toList();
    }
}
