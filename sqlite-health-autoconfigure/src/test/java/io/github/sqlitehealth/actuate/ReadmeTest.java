package io.github.sqlitehealth.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.sqlitehealth.diagnosis.Answer;
import io.github.sqlitehealth.diagnosis.Check;
import io.github.sqlitehealth.diagnosis.Finding;
import io.github.sqlitehealth.diagnosis.HazardKind;
import io.github.sqlitehealth.diagnosis.Held;
import io.github.sqlitehealth.diagnosis.Latch;
import io.github.sqlitehealth.diagnosis.Moment;
import io.github.sqlitehealth.diagnosis.Reason;
import io.github.sqlitehealth.diagnosis.Testimonies;
import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.diagnosis.Witness;
import io.github.sqlitehealth.monitor.BackupState;
import io.github.sqlitehealth.monitor.DatabaseBackups;
import io.github.sqlitehealth.monitor.MonitorState;
import io.github.sqlitehealth.monitor.WatchedDatabase;
import io.github.sqlitehealth.recovery.AtStop;
import io.github.sqlitehealth.recovery.Backup;
import io.github.sqlitehealth.recovery.BackupDirectory;
import io.github.sqlitehealth.recovery.RescueState;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The tables of the README are those of the code: none of their rows is missing, superfluous or wrong. */
class ReadmeTest {

    private static final Instant NOON = Instant.parse("2026-07-15T12:00:00Z");

    private Readme readme;

    @BeforeEach
    void readReadme() throws IOException {
        readme = Readme.read();
    }

    @Test
    void properties() {
        Map<String, String> described = new TreeMap<>();
        for (List<String> row : readme.table("property")) {
            // What is not in backticks is no value but a way to tell that there is none.
            String cell = row.get(1);
            boolean value = cell.matches("`[^`]*`");
            described.put(Readme.onlyCode(row.get(0)), value ? Readme.onlyCode(cell) : "no default");
        }
        Map<String, String> real = new TreeMap<>();
        for (JsonNode property : JsonMapper.shared()
                .readTree(Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json"))
                .path("properties")) {
            real.put(
                    property.path("name").asString(),
                    property.has("defaultValue") ? property.path("defaultValue").asString() : "no default");
        }

        assertThat(described).isEqualTo(real);
    }

    @Test
    void verdictsInTheOrderOfPrecedence() {
        List<List<String>> real = Arrays.stream(Verdict.values())
                .map(verdict ->
                        List.of("`" + verdict.name() + "`", verdict.status(), verdict.meaning(), verdict.action()))
                .toList();

        assertThat(readme.table("verdict")).isEqualTo(real);
    }

    @Test
    void metrics() {
        Map<String, List<String>> described = new TreeMap<>();
        for (List<String> row : readme.table("meter")) {
            String tags = Readme.code(row.get(2)).stream().sorted().collect(Collectors.joining(", "));
            described.put(Readme.onlyCode(row.get(0)), List.of(Readme.onlyCode(row.get(1)), tags, row.get(3)));
        }
        PrometheusMeterRegistry registry = registry();
        Map<String, List<String>> real = new TreeMap<>();
        for (SqliteMeter meter : SqliteMeter.values()) {
            Meter first = registry.getMeters().stream()
                    .filter(each -> each.getId().getName().equals(meter.meterName()))
                    .findFirst()
                    .orElseThrow();
            String tags = first.getId().getTags().stream()
                    .map(tag -> tag.getKey())
                    .filter(key -> !key.equals("database"))
                    .sorted()
                    .collect(Collectors.joining(", "));
            String name = first.getId().getConventionName(registry.config().namingConvention());
            real.put(meter.meterName(), List.of(scraped(registry, name), tags, meter.description()));
        }

        assertThat(described).isEqualTo(real);
    }

    /** Counters get their suffix on the way out. */
    private static String scraped(PrometheusMeterRegistry registry, String name) {
        String total = name + "_total";
        return names(registry).contains(total) ? total : name;
    }

    @Test
    void healthDetails() {
        List<String> described = readme.table("detail").stream()
                .map(row -> Readme.onlyCode(row.get(0)))
                .toList();

        assertThat(described)
                .isEqualTo(List.copyOf(StateView.of(new Stranded()).details().keySet()));
    }

    @Test
    void witnessesInHealth() {
        List<String> row = readme.table("detail").stream()
                .filter(each -> each.get(0).equals("`witnesses`"))
                .findFirst()
                .orElseThrow();

        assertThat(Readme.code(row.get(1)))
                .containsAll(Arrays.stream(Witness.values()).map(Witness::key).toList())
                .containsAll(Arrays.stream(Answer.values()).map(Answer::name).toList());
    }

    @Test
    void hazards() {
        assertThat(readme.table("hazard").stream()
                        .map(row -> Readme.onlyCode(row.get(0)))
                        .toList())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(HazardKind.values()).map(HazardKind::key).toList());
    }

    @Test
    void endpoint() {
        Set<String> described = new TreeSet<>();
        for (String table : List.of("request", "request about backups")) {
            readme.table(table).forEach(row -> described.add(Readme.onlyCode(row.get(0))));
        }
        Set<String> real = new TreeSet<>();
        for (Class<?> type : List.of(SqliteForensicsEndpoint.class, SqliteBackupsEndpoint.class)) {
            real.addAll(requests(type));
        }

        assertThat(described).isEqualTo(real);
    }

    private static Set<String> requests(Class<?> endpoint) {
        String id = endpoint.getAnnotation(WebEndpoint.class).id();
        Set<String> requests = new TreeSet<>();
        for (Method method : endpoint.getDeclaredMethods()) {
            String verb = method.isAnnotationPresent(ReadOperation.class)
                    ? "GET"
                    : method.isAnnotationPresent(WriteOperation.class) ? "POST" : null;
            if (verb != null) {
                String selectors = Arrays.stream(method.getParameters())
                        .filter(parameter -> parameter.isAnnotationPresent(Selector.class))
                        .map(parameter -> "/{" + parameter.getName() + "}")
                        .collect(Collectors.joining());
                requests.add(verb + " /actuator/" + id + selectors);
            }
        }
        return requests;
    }

    @Test
    void alertRulesAskForMetricsAndTagsThatExist() {
        PrometheusMeterRegistry registry = registry();
        String rules = readme.alertRules();
        Set<String> asked =
                matches("\\bsqlite_\\w+", rules).map(MatchResult::group).collect(Collectors.toSet());

        assertThat(asked).isNotEmpty().isSubsetOf(names(registry));
        assertThat(matches("(sqlite_\\w+)\\{(\\w+)=~?\"([^\"]*)\"}", rules)
                        .flatMap(result -> Arrays.stream(result.group(3).split("\\|"))
                                .map(value -> result.group(1) + "{" + result.group(2) + "=" + value + "}"))
                        .toList())
                .isNotEmpty()
                .isSubsetOf(series(registry));
    }

    @Test
    void alertRulesForgetNoVerdict() {
        Set<String> alerted = matches("\\bsqlite_health_verdict\\{verdict=~?\"([^\"]*)\"}", readme.alertRules())
                .flatMap(result -> Arrays.stream(result.group(1).split("\\|")))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(alerted)
                .isEqualTo(Arrays.stream(Verdict.values())
                        .filter(Verdict::latches)
                        .map(Verdict::name)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static Stream<MatchResult> matches(String regex, String text) {
        return Pattern.compile(regex).matcher(text).results();
    }

    private static PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        SqliteHealthMetrics metrics = new SqliteHealthMetrics(registry, false);
        metrics.added(new Stranded());
        metrics.heard("dataSource", Stranded.SAID);
        return registry;
    }

    private static Set<String> names(PrometheusMeterRegistry registry) {
        return matches("(?m)^(sqlite_\\w+)", registry.scrape())
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    /** Each series once for each of its tags. */
    private static Set<String> series(PrometheusMeterRegistry registry) {
        Set<String> series = new LinkedHashSet<>();
        matches("(?m)^(sqlite_\\w+)\\{(.*)}", registry.scrape()).forEach(line -> {
            for (String tag : line.group(2).split(",")) {
                series.add(line.group(1) + "{" + tag.replace("\"", "") + "}");
            }
        });
        return series;
    }

    /** A database in whose state every detail has a value. */
    private static final class Stranded implements WatchedDatabase {

        private static final Moment NOW = new Moment(NOON, 1_000);
        private static final Testimony SAID = new Testimony(
                Witness.IDENTITY, Check.IDENTITY, Answer.BAD, Reason.STALE_FILES, "-wal", NOW, Duration.ofMillis(60));

        @Override
        public MonitorState state() {
            Finding finding = new Finding(Verdict.STRANDED, Check.IDENTITY, true, "-wal", NOW);
            Map<Check, Moment> ticks = new LinkedHashMap<>();
            for (Check check : Check.values()) {
                ticks.put(check, NOW);
            }
            return new MonitorState(
                    name(),
                    dataSources(),
                    Path.of("app.db"),
                    NOW,
                    Testimonies.none(NOW, Duration.ofMinutes(30)).withIdentity(SAID),
                    new Latch(List.of(new Held(finding, NOW))),
                    null,
                    List.of(),
                    ticks,
                    new MonitorState.Counts(0, 1, 1, Map.of()),
                    Map.of(),
                    new MonitorState.Pages(7, 0),
                    List.of(),
                    List.of(),
                    new RescueState(null, null, false, new AtStop(AtStop.Plan.MERGE, "nobody else has written"), null));
        }

        @Override
        public String name() {
            return "dataSource";
        }

        @Override
        public List<String> dataSources() {
            return List.of("dataSource");
        }

        @Override
        public Moment now() {
            return NOW;
        }

        @Override
        public Map<String, Long> applicationErrors() {
            return Map.of("SQLITE_FULL", 1L);
        }

        @Override
        public Optional<Map<String, Object>> snapshot(String id) {
            return Optional.empty();
        }

        @Override
        public CompletableFuture<MonitorState> check(Check check) {
            return CompletableFuture.completedFuture(state());
        }

        @Override
        public CompletableFuture<MonitorState> acceptContent() {
            return CompletableFuture.completedFuture(state());
        }

        @Override
        public DatabaseBackups backups() {
            return new DatabaseBackups() {
                @Override
                public BackupState state() {
                    return new BackupState(true, NOW, 4096, "a newer one is gone", "no room", 1);
                }

                @Override
                public List<Backup> list() {
                    return List.of();
                }

                @Override
                public BackupDirectory directory() {
                    return new BackupDirectory(Path.of("backups"), name());
                }

                @Override
                public CompletableFuture<Backup> now() {
                    return CompletableFuture.failedFuture(new IllegalStateException("no room"));
                }
            };
        }
    }
}
