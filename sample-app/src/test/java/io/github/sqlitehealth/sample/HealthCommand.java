package io.github.sqlitehealth.sample;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipFile;

/** The command line, started from the sample application's fat jar. */
final class HealthCommand {

    private static final String MAIN = "io.github.sqlitehealth.autoconfigure.SqliteHealthCommand";

    /** What came of one start. */
    record Ended(int code, String out, String err) {}

    private HealthCommand() {}

    static Ended fromTheFatJar(Path folder, String... args) throws IOException, InterruptedException {
        return run(
                folder,
                List.of(
                        "-Dloader.main=" + MAIN,
                        "-cp",
                        RunningGateway.JAR.toString(),
                        "org.springframework.boot.loader.launch.PropertiesLauncher"),
                args);
    }

    /** As with a directory of jars: those that the fat jar holds and whose names begin so, and no others. */
    static Ended fromJars(Path folder, List<String> names, String... args) throws IOException, InterruptedException {
        Path lib = Files.createDirectories(folder.resolve("lib"));
        try (ZipFile jar = new ZipFile(RunningGateway.JAR.toFile())) {
            for (var entry : jar.stream().toList()) {
                String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
                if (names.stream().anyMatch(name::startsWith) && name.endsWith(".jar")) {
                    try (var in = jar.getInputStream(entry)) {
                        Files.copy(in, lib.resolve(name));
                    }
                }
            }
        }
        return run(folder, List.of("-cp", "lib/*", MAIN), args);
    }

    private static Ended run(Path folder, List<String> start, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder));
        command.addAll(start);
        command.addAll(List.of(args));
        Path out = Files.createTempFile(folder, "out-", ".txt");
        Path err = Files.createTempFile(folder, "err-", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        int code = process.waitFor();
        return new Ended(code, Files.readString(out, UTF_8), withoutTheJvms(Files.readString(err, UTF_8)));
    }

    /** Of the JVM, from 24 on, about the native library of the driver. */
    private static String withoutTheJvms(String warnings) {
        return warnings.replaceAll("(?m)^WARNING: .*\n\n?", "");
    }
}
