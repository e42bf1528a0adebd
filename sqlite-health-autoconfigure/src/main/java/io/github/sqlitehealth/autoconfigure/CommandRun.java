package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.autoconfigure.CommandLine.Wrong;
import io.github.sqlitehealth.forensics.Json;
import io.github.sqlitehealth.recovery.BackupFailedException;
import io.github.sqlitehealth.recovery.RescueRefusedException;
import io.github.sqlitehealth.recovery.RestoreRefusedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Does what somebody has typed, and says what came of it. */
final class CommandRun {

    private final PrintStream out;
    private final PrintStream err;

    CommandRun(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** The exit code. */
    int run(String... args) {
        if (CommandLine.asksForHelp(args)) {
            out.print(CommandAction.usage());
            return CommandResult.OK;
        }
        try {
            CommandLine line = CommandLine.of(args);
            CommandResult result = result(line);
            if (line.has("json")) {
                out.println(new String(Json.write(result.report()), StandardCharsets.UTF_8));
            } else {
                result.lines().forEach(out::println);
            }
            return result.code();
        } catch (Wrong ex) {
            err.println(ex.getMessage() + "; see --help");
            return CommandResult.WRONG;
        } catch (BackupFailedException ex) {
            err.println(ex.getMessage());
            return ex.locked() || ex.busy() ? CommandResult.NOT_ASKED : CommandResult.NOT_OK;
        } catch (RestoreRefusedException | RescueRefusedException ex) {
            err.println(ex.getMessage());
            return CommandResult.NOT_OK;
        } catch (IOException | UncheckedIOException ex) {
            err.println(ex.getMessage());
            return CommandResult.NOT_ASKED;
        }
    }

    private static CommandResult result(CommandLine line)
            throws Wrong, RestoreRefusedException, BackupFailedException, RescueRefusedException, IOException {
        return switch (line.action()) {
            case CHECK -> new CommandQuestions(line).check();
            case STATUS -> new CommandQuestions(line).status();
            case BACKUP -> new CommandActs(line).backup();
            case RESTORE, START_FRESH -> new CommandActs(line).restore();
            case RESCUE -> CommandRescue.run(line);
        };
    }
}
