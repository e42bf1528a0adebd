package io.github.sqlitehealth.forensics;

import io.github.sqlitehealth.diagnosis.Testimony;
import io.github.sqlitehealth.diagnosis.Verdict;
import io.github.sqlitehealth.witness.HandleFacts;
import io.github.sqlitehealth.witness.Look;
import io.github.sqlitehealth.witness.Section;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why and of what a snapshot is taken.
 *
 * @param database its name
 * @param file its main file
 * @param reason what happened
 * @param verdict what holds
 * @param incident the open one, absent when none is
 * @param testimonies the latest of every witness
 * @param look what the last look saw, so that files without a name are recognised at their holders
 * @param live what the application's connection believes
 * @param fresh what a fresh connection believes
 * @param sqliteVersion of the library that the application runs
 * @param rescue how the rows of a stranded process fare, empty when it is not stranded
 */
public record Occasion(
        String database,
        Path file,
        String reason,
        Verdict verdict,
        @Nullable String incident,
        List<Testimony> testimonies,
        Look look,
        Section<HandleFacts> live,
        Section<HandleFacts> fresh,
        String sqliteVersion,
        Map<String, Object> rescue) {}
