package io.github.sqlitehealth.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The blocks of commands in a section of the README, each with the output that is printed below it. */
final class Tour {

    /**
     * One block.
     *
     * @param commands as a reader pastes them
     * @param output as it is printed, empty where none is
     */
    record Step(String commands, String output) {

        boolean startsTheApplication() {
            return commands.startsWith("java -jar ");
        }
    }

    private static final Pattern BLOCK = Pattern.compile("```(bash|text)\n(.*?)```", Pattern.DOTALL);

    private Tour() {}

    static List<Step> section(String heading) throws IOException {
        String readme = Files.readString(Path.of("..", "README.md"));
        int start = readme.indexOf("\n" + heading + "\n");
        assertThat(start).as("the section %s", heading).isNotNegative();
        String rest = readme.substring(start + heading.length() + 2);
        String level = heading.substring(0, heading.indexOf(' ') + 1);
        int end = rest.indexOf("\n" + level);
        List<Step> steps = new ArrayList<>();
        for (MatchResult block :
                BLOCK.matcher(end < 0 ? rest : rest.substring(0, end)).results().toList()) {
            if (block.group(1).equals("bash")) {
                steps.add(new Step(block.group(2), ""));
            } else {
                Step last = steps.remove(steps.size() - 1);
                steps.add(new Step(last.commands(), block.group(2)));
            }
        }
        return steps;
    }
}
