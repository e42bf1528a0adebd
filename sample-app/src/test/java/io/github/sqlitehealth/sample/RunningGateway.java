package io.github.sqlitehealth.sample;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * The sample application's jar as a process of its own: incidents are acted on it from outside, and it can be killed as
 * a real one can.
 */
final class RunningGateway extends GatewayClient implements AutoCloseable {

    static final Path JAR = Path.of("target", "sample-app.jar").toAbsolutePath();
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);

    /** It becomes the program that it starts, so the process keeps its number. */
    private static final List<String> WITHOUT_OVERRIDE =
            List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search");

    /** An empty file system lies over the path, in a mount namespace of its own; then it becomes the program, too. */
    private static final String HIDING = "eval mount -t tmpfs none \"$0\" && exec \"$@\"";

    /** Group 1 is the port; the second line says that the start is over. */
    private static final Pattern STARTED =
            Pattern.compile("Tomcat started on port (\\d+).*Started GatewayApplication in", Pattern.DOTALL);

    private final Process process;
    private final Path database;
    private final Path log;
    private final BackgroundWriter writer = new BackgroundWriter(this);

    private RunningGateway(int port, Process process, Path database, Path log) {
        super(port);
        this.process = process;
        this.database = database;
        this.log = log;
    }

    /**
     * Starts a gateway and returns when it is ready.
     *
     * @param folder the working folder of the process, which also gets its log
     * @param database the value of {@code gateway.database}; relative to the folder unless absolute
     * @param options properties such as {@code --server.shutdown=immediate}, and options of the JVM such as {@code -Dx=y}
     */
    static RunningGateway start(Path folder, String database, String... options) {
        return start(List.of(), folder, database, options);
    }

    /** The same as a process that the permissions of files hold for, as they do not for root. */
    static RunningGateway startUnprivileged(Path folder, String database, String... options) {
        return start(unprivileged(), folder, database, options);
    }

    /** What a start that was refused has said, and its exit code; as a process that the permissions of files hold for. */
    record Refused(int code, String log) {}

    static Refused refused(Path folder, String database, String... options) throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder, "gateway-", ".log");
        Process process = launch(unprivileged(), folder, log, database, options);
        if (!process.waitFor(START_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("The gateway did not end:\n" + Files.readString(log));
        }
        return new Refused(process.exitValue(), Files.readString(log));
    }

    private static List<String> unprivileged() {
        return "root".equals(System.getProperty("user.name")) ? WITHOUT_OVERRIDE : List.of();
    }

    /**
     * The same where a path is hidden from it. Skips the test where that is not allowed.
     *
     * @param path in which a shell may have something to replace, such as its number
     */
    static RunningGateway startWithHidden(String path, Path folder, String database, String... options)
            throws IOException {
        // Without /proc the dynamic linker does not know where the program is that looks for libraries beside itself.
        String libraries = "LD_LIBRARY_PATH=" + Path.of(System.getProperty("java.home"), "lib");
        List<String> command = List.of("env", libraries, "unshare", "--mount", "sh", "-c", HIDING, path);
        Process allowed = Act.start(
                "util-linux", Stream.concat(command.stream(), Stream.of("true")).toList());
        if (allowed.onExit().join().exitValue() != 0) {
            throw new TestAbortedException("This system refuses to hide " + path + " from a process (unshare, mount)");
        }
        return start(command, folder, database, options);
    }

    private static RunningGateway start(List<String> wrapper, Path folder, String database, String... options) {
        try {
            Path log = Files.createTempFile(folder, "gateway-", ".log");
            Process process = launch(wrapper, folder, log, database, options);
            return new RunningGateway(awaitPort(process, log), process, folder.resolve(database), log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Process launch(List<String> wrapper, Path folder, Path log, String database, String... options)
            throws IOException {
        // A killed JVM leaves its native library and Tomcat's folders: let them go with the test's folder.
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        return new ProcessBuilder(command(wrapper, temporary, database, options))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static List<String> command(List<String> wrapper, Path temporary, String database, String... options) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The quickest start on two cores: measured 4.1 s without these two, 2.5 s with them.
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.add("-Djava.io.tmpdir=" + temporary);
        List<String> properties = new ArrayList<>();
        for (String option : options) {
            (option.startsWith("--") ? properties : command).add(option);
        }
        command.addAll(List.of("-jar", JAR.toString(), "--gateway.database=" + database));
        if (properties.stream().noneMatch(property -> property.startsWith("--server.port="))) {
            command.add("--server.port=0");
        }
        command.addAll(properties);
        return command;
    }

    private static int awaitPort(Process process, Path log) throws IOException {
        try {
            await().atMost(START_LIMIT)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> !process.isAlive()
                            || STARTED.matcher(Files.readString(log)).find());
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
        String text = Files.readString(log);
        return STARTED.matcher(text)
                .results()
                .findFirst()
                .map((MatchResult line) -> Integer.parseInt(line.group(1)))
                .orElseThrow(() -> new AssertionError("The gateway did not start:\n" + text));
    }

    long pid() {
        return process.pid();
    }

    /** The database file, absolute. */
    Path database() {
        return database;
    }

    /** A file of the database that stands beside it, such as {@code -wal}. */
    Path sidecar(String suffix) {
        return database.resolveSibling(database.getFileName() + suffix);
    }

    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a client that posts all the time. */
    void startWriting() {
        writer.start();
    }

    /** What the background client has been promised so far. */
    Map<Long, String> acknowledged() {
        return writer.acknowledged();
    }

    Map<Long, String> stopWriting() throws InterruptedException {
        return writer.stop();
    }

    /** SIGTERM: the graceful stop. Returns the exit code. */
    int terminate() throws InterruptedException {
        process.destroy();
        return awaitEnd();
    }

    /** Waits until it ends by itself. Returns the exit code. */
    int awaitExit() throws InterruptedException {
        return awaitEnd();
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
    }

    private int awaitEnd() throws InterruptedException {
        if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("The gateway did not end:\n" + log());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            awaitEnd();
            writer.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
