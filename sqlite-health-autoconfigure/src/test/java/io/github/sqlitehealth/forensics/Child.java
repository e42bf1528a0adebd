package io.github.sqlitehealth.forensics;

import io.github.sqlitehealth.fixture.Outside;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Another process that uses the forensics directory. */
final class Child implements AutoCloseable {

    private final Process process;
    private final BufferedReader said;

    private Child(String act, Path directory) throws IOException {
        process = new ProcessBuilder(Outside.java(Child.class, act, directory))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        said = process.inputReader();
    }

    /** Writes one snapshot after the other until it is killed. */
    static Child writing(Path directory) throws IOException {
        return new Child("write", directory);
    }

    /** Owns the memory until it is killed. */
    static Child remembering(Path directory) throws IOException {
        return new Child("remember", directory);
    }

    /** Waits for the next line that it says itself; others are those of its log. */
    String hear() throws IOException {
        String line = said.readLine();
        while (line != null && !line.startsWith(">")) {
            line = said.readLine();
        }
        return line;
    }

    /** Kill -9. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    public static void main(String[] arguments) throws Exception {
        ForensicsDirectory directory = new ForensicsDirectory(Path.of(arguments[1]));
        if (arguments[0].equals("write")) {
            write(directory);
        } else {
            Memory memory = new Memory(directory, Path.of("/data/app.db"), Clock.systemUTC());
            memory.keep(new Remembered("/data/app.db", null, List.of(), List.of(), null, 42, null));
            System.out.println(">owned");
            Thread.sleep(60_000);
        }
    }

    private static void write(ForensicsDirectory directory) {
        SnapshotStore store = new SnapshotStore(directory, new Retention(50, 64 << 20), Clock.systemUTC());
        String filling = "x".repeat(1 << 20);
        for (int number = 0; number < 100_000; number++) {
            String id = String.format("20260301T120000.000Z-1-%06d", number);
            SnapshotEntry entry = new SnapshotEntry(id, Instant.EPOCH, "test", "DAMAGED", "incident-" + number / 10);
            store.add(
                    entry,
                    Map.of(
                            "id",
                            id,
                            "at",
                            "1970-01-01T00:00:00Z",
                            "reason",
                            "test",
                            "verdict",
                            "DAMAGED",
                            "incident",
                            "incident-" + number / 10,
                            "filling",
                            filling));
            System.out.println(">" + id);
        }
    }
}
