package io.github.sqlitehealth.forensics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.forensics.Remembered.Incident;
import io.github.sqlitehealth.forensics.Remembered.RememberedFinding;
import io.github.sqlitehealth.witness.Content;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class MemoryTest {

    private static final Path FILE = Path.of("/data/app.db");

    @TempDir
    Path folder;

    @Test
    void whatIsKeptIsRecalledByTheNextProcess() {
        Remembered whole = new Remembered(
                FILE.toString(),
                new Incident("incident-2", Instant.parse("2026-03-01T12:00:00Z"), null, List.of("DAMAGED")),
                List.of(new RememberedFinding(
                        Verdict.DAMAGED, Check.FULL, true, "a text", Instant.parse("2026-03-01T12:00:01Z"))),
                List.of(new Incident("incident-1", Instant.EPOCH, Instant.EPOCH.plusSeconds(5), List.of("STRANDED"))),
                new Content(17, 100, true, 3, List.of("a", "b"), List.of("a"), List.of(), Map.of("a", 9L)),
                21,
                Instant.parse("2026-03-02T12:00:00Z"));
        try (Memory memory = memory()) {
            memory.keep(whole);
        }
        assertThat(memory().recall()).contains(whole);
    }

    /** A volume that is mounted elsewhere, a folder that was renamed or brought from another machine. */
    @Test
    void theMemoryBesideADatabaseGoesWithItToAnotherPath() throws Exception {
        Path file = folder.resolve("old").resolve("app.db");
        Files.createDirectory(file.getParent());
        Remembered known = new Remembered(
                file.toString(),
                new Incident("incident-2", Instant.EPOCH, null, List.of("EMPTIED")),
                List.of(new RememberedFinding(Verdict.EMPTIED, Check.QUICK, true, "a text", Instant.EPOCH)),
                List.of(),
                null,
                1,
                null);
        ForensicsDirectory old = new ForensicsDirectory(ForensicsDirectory.beside(file));
        try (Memory memory = new Memory(old, file, Clock.systemUTC())) {
            memory.keep(known);
        }
        Files.move(file.getParent(), folder.resolve("new"));
        Path moved = folder.resolve("new").resolve("app.db");
        ForensicsDirectory beside = new ForensicsDirectory(ForensicsDirectory.beside(moved));
        assertThat(Memory.peek(beside, moved)).contains(known.at(moved.toString()));
        assertThat(new Memory(beside, moved, Clock.systemUTC()).recall()).contains(known.at(moved.toString()));
        assertThat(Memory.peek(beside, FILE)).isEmpty();
    }

    @Test
    void whatAnOlderVersionRememberedIsUnderstood() throws Exception {
        Files.createDirectory(directory());
        Files.writeString(
                directory().resolve("state.json"),
                "{\"file\":\"/data/app.db\",\"findings\":[],\"incidents\":[],\"content\":{\"inode\":1,"
                        + "\"pages\":2,\"schemaVersion\":3,\"tables\":[\"t\"],\"filled\":[],\"met\":[]}}");
        Content content = memory().recall().orElseThrow().content();
        assertThat(content).isEqualTo(new Content(1, 2, false, 3, List.of("t"), List.of(), List.of(), Map.of()));
    }

    @Test
    void withoutAMemoryNothingIsRecalledAndNothingCreated() {
        assertThat(memory().recall()).isEmpty();
        assertThat(directory()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "{\"file\":",
                "[1]",
                "{}",
                "{\"file\":\"/data/app.db\",\"findings\":[{\"verdict\":\"DAMAGED\",\"source\":\"QUICK\"}],\"incidents\":[]}",
                "{\"file\":\"/data/app.db\",\"findings\":[{\"verdict\":\"NONSENSE\"}],\"incidents\":[]}",
                "{\"file\":\"/data/app.db\",\"incident\":{\"verdicts\":[]},\"findings\":[],\"incidents\":[]}",
                "{\"file\":\"/data/other.db\",\"findings\":[],\"incidents\":[],\"transients\":1}"
            })
    void aMemoryThatCannotBeUnderstoodIsSetAsideAndSaidOnce(String content) throws Exception {
        Files.createDirectory(directory());
        Files.writeString(directory().resolve("state.json"), content);
        Logger logger = (Logger) LoggerFactory.getLogger(ForensicsDirectory.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        try (Memory memory = memory()) {
            assertThat(memory.recall()).isEmpty();
            memory.keep(some(1));
            assertThat(memory.recall()).isPresent();
        } finally {
            logger.detachAppender(appender);
        }
        assertThat(appender.list)
                .filteredOn(event ->
                        event.getFormattedMessage().contains(directory().toString()))
                .hasSize(1);
        try (Stream<Path> all = Files.list(directory())) {
            assertThat(all.filter(file -> file.getFileName().toString().startsWith("state.json.corrupt-")))
                    .singleElement()
                    .satisfies(kept -> assertThat(kept).hasContent(content));
        }
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsSaidOnceAndCostsNothing() throws Exception {
        Files.writeString(directory(), "in the way");
        Logger logger = (Logger) LoggerFactory.getLogger(Memory.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        try (Memory memory = memory()) {
            memory.keep(some(1));
            memory.keep(some(2));
            assertThat(memory.recall()).isEmpty();
            Files.delete(directory());
            memory.keep(some(3));
            assertThat(memory.recall()).contains(some(3));
        } finally {
            logger.detachAppender(appender);
        }
        assertThat(appender.list)
                .filteredOn(event ->
                        event.getFormattedMessage().contains(directory().toString()))
                .hasSize(1);
    }

    @Test
    void theFirstProcessOwnsTheMemoryAndTheSecondOneOnlyReadsItUntilTheFirstHasGone() throws Exception {
        try (Memory memory = memory()) {
            try (Child child = Child.remembering(directory())) {
                assertThat(child.hear()).isEqualTo(">owned");
                memory.keep(some(1));
                assertThat(memory.recall().orElseThrow().transients()).isEqualTo(42);
                memory.keep(some(2));
                assertThat(memory.recall().orElseThrow().transients()).isEqualTo(42);
            }
            await().untilAsserted(() -> {
                memory.keep(some(3));
                assertThat(memory.recall()).contains(some(3));
            });
        }
    }

    @Test
    void ofTwoMonitorsInOneProcessTheFirstOwnsTheMemoryAndKeepsItsLock() throws Exception {
        try (Memory first = memory()) {
            first.keep(some(1));
            try (Memory second = memory()) {
                second.keep(some(2));
            }
            assertThat(first.recall()).contains(some(1));
            try (Child child = Child.remembering(directory())) {
                assertThat(child.hear()).isEqualTo(">owned");
                assertThat(first.recall())
                        .as("it is locked against other processes still")
                        .contains(some(1));
            }
        }
    }

    private Remembered some(int transients) {
        return new Remembered(FILE.toString(), null, List.of(), List.of(), null, transients, null);
    }

    private Memory memory() {
        return new Memory(new ForensicsDirectory(directory()), FILE, Clock.systemUTC());
    }

    private Path directory() {
        return folder.resolve("app.db-forensics");
    }
}
