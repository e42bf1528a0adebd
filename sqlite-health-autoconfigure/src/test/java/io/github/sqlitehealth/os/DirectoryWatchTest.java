package io.github.sqlitehealth.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryWatchTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private final DirectoryWatch watch =
            new DirectoryWatch(path -> path.toString().endsWith("-wal"));

    @AfterEach
    void close() {
        watch.close();
    }

    @Test
    void aFileThatComesAndOneThatGoesAreTold() throws Exception {
        Path wal = folder.resolve("é b.db-wal");
        assertThat(watch.watch(folder)).isTrue();
        Files.createFile(wal);
        assertThat(watch.poll(LONG)).containsExactly(wal);
        Files.delete(wal);
        assertThat(watch.poll(LONG)).containsExactly(wal);
        assertThat(watch.poll(Duration.ofMillis(50))).isEmpty();
    }

    @Test
    void aRenameIsAGoingAndAComing() throws Exception {
        Path a = Files.createFile(folder.resolve("a-wal"));
        watch.watch(folder);
        Files.move(a, folder.resolve("b-wal"));
        assertThat(watch.poll(LONG)).containsExactlyInAnyOrder(a, folder.resolve("b-wal"));
    }

    @Test
    void changesThatComeTogetherAreToldTogether() throws Exception {
        watch.watch(folder);
        Set<Path> expected = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            expected.add(Files.createFile(folder.resolve(i + "-wal")));
        }
        Set<Path> found = new HashSet<>(watch.poll(LONG));
        assertThat(found).hasSizeGreaterThan(1);
        await().until(() -> {
            found.addAll(watch.poll(Duration.ofMillis(100)));
            return found.equals(expected);
        });
    }

    @Test
    void writingIntoAFileIsNoNews() throws Exception {
        Path wal = Files.createFile(folder.resolve("a-wal"));
        watch.watch(folder);
        Files.writeString(wal, "more");
        assertThat(watch.poll(Duration.ofMillis(100))).isEmpty();
    }

    @Test
    void aStormOfIrrelevantNamesNeitherEndsTheWaitNorHidesARelevantOne() throws Exception {
        watch.watch(folder);
        AtomicBoolean storming = new AtomicBoolean(true);
        CompletableFuture<Void> storm = CompletableFuture.runAsync(() -> {
            Path journal = folder.resolve("a-journal");
            try {
                while (storming.get()) {
                    Files.createFile(journal);
                    Files.delete(journal);
                    // As fast as a busy application commits; much faster and a stall of this machine loses events.
                    LockSupport.parkNanos(500_000);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            long start = System.nanoTime();
            assertThat(watch.poll(Duration.ofMillis(500))).isEmpty();
            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(500).toNanos());
            Path wal = Files.createFile(folder.resolve("a-wal"));
            assertThat(watch.poll(LONG)).contains(wal);
        } finally {
            storming.set(false);
            storm.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void lostEventsMeanLookAtEverything() throws Exception {
        watch.watch(folder);
        // The system gathers at most some hundred events for a watch that does not come to take them.
        for (int i = 0; i < 2_000; i++) {
            Files.createFile(folder.resolve("file" + i));
        }
        assertThat(watch.poll(LONG)).containsExactly(folder);
    }

    @Test
    void aDirectoryThatIsDeletedIsToldOnceAndCanBeWatchedAgain() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("data"));
        assertThat(watch.watch(directory)).isTrue();
        Files.delete(directory);
        assertThat(watch.poll(LONG)).containsExactly(directory);
        assertThat(watch.poll(Duration.ofMillis(50))).isEmpty();
        assertThat(watch.watch(directory)).isFalse();
        assertThat(watch.watch(directory)).isFalse();

        Files.createDirectory(directory);
        assertThat(watch.watch(directory)).isTrue();
        Path wal = Files.createFile(directory.resolve("a-wal"));
        assertThat(watch.poll(LONG)).containsExactly(wal);
    }

    @Test
    void aDirectoryThatIsReplacedIsWatchedAnew() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("data"));
        watch.watch(directory);
        Files.move(directory, folder.resolve("old"));
        Files.createDirectory(directory);
        assertThat(watch.watch(directory)).isTrue();
        Files.createFile(folder.resolve("old").resolve("other-wal"));
        Path wal = Files.createFile(directory.resolve("a-wal"));
        assertThat(watch.poll(LONG)).containsExactly(wal);
    }

    @Test
    void watchingTwiceTellsOnceAndUnwatchingEndsIt() throws Exception {
        assertThat(watch.watch(folder)).isTrue();
        assertThat(watch.watch(folder)).isTrue();
        Path wal = Files.createFile(folder.resolve("a-wal"));
        assertThat(watch.poll(LONG)).containsExactly(wal);
        watch.unwatch(folder);
        watch.unwatch(folder);
        Files.delete(wal);
        assertThat(watch.poll(Duration.ofMillis(100))).isEmpty();
    }

    @Test
    void oneDirectoryWatchedByTwoNamesIsToldByBoth() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), real);
        watch.watch(real);
        watch.watch(link);
        Path wal = Files.createFile(real.resolve("a-wal"));
        assertThat(watch.poll(LONG)).containsExactlyInAnyOrder(wal, link.resolve("a-wal"));
        watch.unwatch(real);
        Files.delete(wal);
        assertThat(watch.poll(LONG)).containsExactly(link.resolve("a-wal"));
    }

    @Test
    void aWaitingPollReturnsWhenTheWatchIsClosed() throws Exception {
        watch.watch(folder);
        CompletableFuture<Set<Path>> waiting = pollElsewhere(watch);
        await().until(() -> threadIsWaiting("poll-elsewhere-" + System.identityHashCode(watch)));
        watch.close();
        watch.close();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
        assertThat(watch.poll(LONG)).isEmpty();
        assertThat(watch.watch(folder)).isFalse();
    }

    @Test
    void whereTheSystemGivesNoEventsPollJustWaits() throws Exception {
        try (DirectoryWatch without = new DirectoryWatch(path -> true, () -> {
            throw new IOException("User limit of inotify instances reached or too many open files");
        })) {
            assertThat(without.watch(folder)).isFalse();
            long start = System.nanoTime();
            assertThat(without.poll(Duration.ofMillis(100))).isEmpty();
            assertThat(System.nanoTime() - start)
                    .isGreaterThanOrEqualTo(Duration.ofMillis(100).toNanos());
        }
    }

    @Test
    void aPredicateThatFailsEndsNothing() throws Exception {
        try (DirectoryWatch broken = new DirectoryWatch(path -> {
            throw new IllegalStateException("broken");
        })) {
            broken.watch(folder);
            for (String name : new String[] {"a", "b"}) {
                Path file = Files.createFile(folder.resolve(name));
                assertThat(broken.poll(LONG)).containsExactly(file);
            }
        }
    }

    private static CompletableFuture<Set<Path>> pollElsewhere(DirectoryWatch watch) {
        CompletableFuture<Set<Path>> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(watch.poll(LONG));
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                },
                "poll-elsewhere-" + System.identityHashCode(watch));
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static boolean threadIsWaiting(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name) && thread.getState() == Thread.State.TIMED_WAITING);
    }
}
