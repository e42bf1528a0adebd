package io.github.sqlitehealth.os;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process that holds files of a database.
 *
 * @param pid its number
 * @param command the name of the program, at most 15 characters; never its arguments, which may hold secrets
 * @param user whose process it is; absent when the system does not tell
 * @param started when it was started; absent when the system does not tell
 * @param self whether it is this process
 * @param descriptors what it holds, by number
 */
public record Holder(
        long pid,
        String command,
        @Nullable String user,
        @Nullable Instant started,
        boolean self,
        List<HeldFile> descriptors) {

    static Holder of(long pid, String command, @Nullable String user, boolean self, List<HeldFile> held) {
        Instant started = ProcessHandle.of(pid)
                .flatMap(process -> process.info().startInstant())
                .orElse(null);
        return new Holder(pid, command, user, started, self, List.copyOf(held));
    }

    static @Nullable String owner(Path process) {
        try {
            return Files.getOwner(process).getName();
        } catch (Exception e) {
            return null; // gone, or a system without owners
        }
    }
}
