package io.github.sqlitehealth.autoconfigure;

import io.github.sqlitehealth.diagnosis.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What values the properties may have. Each complaint names the property, the value and the rule. */
final class Rules {

    private static final List<String> STATUSES = List.of("UP", "DOWN", "OUT_OF_SERVICE", "UNKNOWN", "DEGRADED");

    private Rules() {}

    static void positive(String property, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw broken(property, value, "must be more than 0");
        }
    }

    static void notNegative(String property, Duration value) {
        if (value.isNegative()) {
            throw broken(property, value, "must not be negative");
        }
    }

    static void directory(String property, Path value) {
        if (Files.exists(value) && !Files.isDirectory(value)) {
            throw broken(property, value, "is a file; name a directory, which need not exist yet");
        }
    }

    static Map<Verdict, String> statuses(Map<Verdict, String> statuses) {
        Map<Verdict, String> codes = new EnumMap<>(Verdict.class);
        statuses.forEach((verdict, value) -> {
            String code = value.strip().toUpperCase(Locale.ROOT).replace('-', '_');
            if (!STATUSES.contains(code)) {
                throw broken(
                        "status." + verdict.propertyName(), value, "must be one of " + String.join(", ", STATUSES));
            }
            codes.put(verdict, code);
        });
        return codes;
    }

    static BadPropertyException broken(String property, Object value, String rule) {
        return new BadPropertyException("sqlite.health." + property, value, rule);
    }
}
