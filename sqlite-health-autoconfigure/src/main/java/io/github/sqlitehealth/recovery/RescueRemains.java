package io.github.sqlitehealth.recovery;

import io.github.sqlitehealth.forensics.ForensicsDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What earlier processes have left behind of their rescue copies. */
public final class RescueRemains {

    private static final Logger log = LoggerFactory.getLogger(RescueRemains.class);

    private static final Pattern UNFINISHED = Pattern.compile("rescue-[^-]+-(\\d+)-\\d+\\.tmp(-journal)?");

    private RescueRemains() {}

    /** Removes what a process that has ended did not finish. */
    public static void sweep(ForensicsDirectory directory) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory.path(), "rescue-*.tmp*")) {
            for (Path file : found) {
                Matcher name = UNFINISHED.matcher(String.valueOf(file.getFileName()));
                if (name.matches() && !isRunning(Long.parseLong(name.group(1)))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException ex) {
            log.debug("There are no remains in {}", directory.path(), ex);
        }
    }

    /** In a container the number of an earlier process may well be our own. */
    private static boolean isRunning(long pid) {
        return pid != ProcessHandle.current().pid() && ProcessHandle.of(pid).isPresent();
    }

    /** The copies that are there, oldest first. */
    public static List<Path> copies(ForensicsDirectory directory) {
        try (Stream<Path> files = Files.list(directory.path())) {
            return files.filter(file -> String.valueOf(file.getFileName()).matches("rescue-.*\\.db"))
                    .sorted()
                    .toList();
        } catch (IOException ex) {
            return List.of();
        }
    }
}
