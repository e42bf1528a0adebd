package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The README as a test reads it. */
final class Readme {

    private static final Pattern CODE = Pattern.compile("`([^`]*)`");

    private final List<String> lines;

    private Readme(List<String> lines) {
        this.lines = lines;
    }

    static Readme read() throws IOException {
        return new Readme(Files.readAllLines(Path.of("..", "README.md")));
    }

    /** The rows below the one table whose first column has this heading, by cell. */
    List<List<String>> table(String heading) {
        List<Integer> heads = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("| " + heading + " |")) {
                heads.add(i);
            }
        }
        assertThat(heads).as("tables with the heading %s", heading).hasSize(1);
        return lines.stream()
                .skip(heads.get(0) + 2L)
                .takeWhile(line -> line.startsWith("|"))
                .map(Readme::cells)
                .toList();
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("\\|"))
                .map(String::strip)
                .toList();
    }

    /** The YAML of the alert rules. */
    String alertRules() {
        return Pattern.compile("```yaml\n(groups:.*?)```", Pattern.DOTALL)
                .matcher(String.join("\n", lines))
                .results()
                .map(result -> result.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** All that stands in backticks. */
    static List<String> code(String cell) {
        return CODE.matcher(cell).results().map(result -> result.group(1)).toList();
    }

    /** What stands in backticks, alone. */
    static String onlyCode(String cell) {
        assertThat(cell).startsWith("`").endsWith("`");
        return cell.substring(1, cell.length() - 1);
    }
}
