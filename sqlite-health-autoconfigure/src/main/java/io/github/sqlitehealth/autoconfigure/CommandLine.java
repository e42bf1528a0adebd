package io.github.sqlitehealth.autoconfigure;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.DefaultApplicationArguments;

/**
 * What somebody has typed.
 *
 * @param action what to do
 * @param options by name, those without a value with an empty one
 */
record CommandLine(CommandAction action, Map<String, String> options) {

    /** What was typed makes no sense; the message is one line. */
    static final class Wrong extends Exception {

        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    static CommandLine of(String... args) throws Wrong {
        DefaultApplicationArguments typed = parsed(args);
        List<String> words = typed.getNonOptionArgs();
        if (words.isEmpty()) {
            throw new Wrong("Which command? " + words());
        }
        CommandAction action = Arrays.stream(CommandAction.values())
                .filter(known -> known.word().equals(words.get(0)))
                .findFirst()
                .orElse(null);
        if (action == null) {
            throw new Wrong("There is no command " + words.get(0) + ", only " + words());
        }
        if (words.size() > 1) {
            throw new Wrong("What does " + words.get(1) + " mean? An option is written --name=value");
        }
        Map<String, String> options = new LinkedHashMap<>();
        for (String name : Set.copyOf(typed.getOptionNames())) {
            options.put(name, value(action, name, typed.getOptionValues(name)));
        }
        for (String needed : action.needed()) {
            if (!options.containsKey(needed)) {
                throw new Wrong(action.word() + " needs --" + needed);
            }
        }
        return new CommandLine(action, options);
    }

    private static String words() {
        return Arrays.stream(CommandAction.values()).map(CommandAction::word).collect(Collectors.joining(", "));
    }

    private static DefaultApplicationArguments parsed(String... args) throws Wrong {
        try {
            return new DefaultApplicationArguments(args);
        } catch (IllegalArgumentException ex) {
            throw new Wrong("What is typed cannot be understood: " + ex.getMessage());
        }
    }

    private static String value(CommandAction action, String name, @Nullable List<String> values) throws Wrong {
        if (!action.needed().contains(name) && !action.allowed().contains(name)) {
            throw new Wrong(action.word() + " knows no option --" + name);
        }
        boolean flag = CommandAction.FLAGS.contains(name);
        List<String> given = values == null ? List.of() : values;
        if (flag && given.isEmpty()) {
            return "";
        }
        if (flag || given.size() != 1 || given.get(0).isBlank()) {
            throw new Wrong(flag ? "--" + name + " takes no value" : "--" + name + " needs one value");
        }
        return given.get(0);
    }

    static boolean asksForHelp(String... args) {
        return Arrays.stream(args).anyMatch(Set.of("--help", "-h", "help")::contains);
    }

    boolean has(String flag) {
        return options.containsKey(flag);
    }

    @Nullable
    Path path(String option) throws Wrong {
        String value = options.get(option);
        try {
            return value == null ? null : Path.of(value);
        } catch (java.nio.file.InvalidPathException ex) {
            throw new Wrong("--" + option + " is no path: " + ex.getMessage());
        }
    }

    long pid() throws Wrong {
        try {
            long pid = Long.parseLong(text("pid"));
            if (pid > 0) {
                return pid;
            }
        } catch (NumberFormatException ex) {
            // Said below.
        }
        throw new Wrong("--pid is no number of a process: " + text("pid"));
    }

    String text(String needed) {
        return String.valueOf(options.get(needed));
    }
}
