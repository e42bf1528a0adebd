package io.github.sqlitehealth;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;

/** The walls between the rooms, see section 3 of the design, and the rule that the files of a database are not opened. */
class RoomsTest {

    private static final String ROOT = "io.github.sqlitehealth.";

    private static final String COMMAND = ROOT + "autoconfigure.SqliteHealthCommand";

    /** Each knows only those before it. */
    private static final List<String> ROOMS =
            List.of("diagnosis", "os", "witness", "forensics", "recovery", "monitor", "actuate", "autoconfigure");

    /** Who opens files, and why that is no harm. A new one needs a reason: see section 4 of the design. */
    private static final Map<String, String> MAY_OPEN = Map.ofEntries(
            Map.entry("os.ProcDescriptors", "files of /proc"),
            Map.entry("os.ProcWalk", "files of /proc"),
            Map.entry("os.ForeignScan", "files of /proc"),
            Map.entry("os.MappedFiles", "a file of /proc"),
            Map.entry("os.OwnLocks", "a file of /proc"),
            Map.entry("forensics.WalHeader", "-wal, which carries no locks"),
            Map.entry("os.Volumes", "a file of /proc"),
            Map.entry("os.ProcessFile", "what another process holds, and no connection of this one has open"),
            Map.entry("os.ProcessPause", "files of /proc"),
            Map.entry("forensics.SnapshotStore", "files of our own"),
            Map.entry("forensics.ForensicsDirectory", "files of our own"),
            Map.entry("forensics.Json", "files of our own"),
            Map.entry("recovery.RestoreJournal", "a file of our own"),
            Map.entry("recovery.SqliteLock", "the original of a restore, which nobody in this process has open"),
            Map.entry("recovery.DurableFiles", "copies, and what no connection of this process has open"),
            Map.entry("recovery.BackupShelf", "a file of our own, for the sake of its lock"));

    private static final Set<String> OPENING = Set.of(
            "newByteChannel",
            "newInputStream",
            "newOutputStream",
            "newBufferedReader",
            "newBufferedWriter",
            "copy",
            "lines",
            "mismatch",
            "readAllBytes",
            "readAllLines",
            "readString",
            "write",
            "writeString");

    private static final Set<String> OPENING_TYPES = Stream.of(
                    FileInputStream.class,
                    FileOutputStream.class,
                    FileReader.class,
                    FileWriter.class,
                    RandomAccessFile.class,
                    Scanner.class)
            .map(Class::getName)
            .collect(java.util.stream.Collectors.toSet());

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.github.sqlitehealth");

    @Test
    void everyClassLivesInARoom() {
        classes()
                .should()
                .resideInAnyPackage(ROOMS.stream().map(room -> ROOT + room).toArray(String[]::new))
                .check(MAIN);
        assertThat(MAIN.size()).isGreaterThan(80);
    }

    @Test
    void eachRoomImportsOnlyWhatStandsBeforeIt() {
        for (int i = 0; i < ROOMS.size() - 1; i++) {
            String[] later = ROOMS.subList(i + 1, ROOMS.size()).stream()
                    .map(room -> ROOT + room + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + ROOMS.get(i) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later)
                    .allowEmptyShould(true)
                    .check(MAIN);
        }
    }

    @Test
    void onlyTheFacesAndTheWiringKnowSpring() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "actuate", ROOT + "autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework..")
                .check(MAIN);
    }

    @Test
    void onlyTheFacesAndTheWiringKnowMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "actuate", ROOT + "autoconfigure")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.micrometer..")
                .check(MAIN);
    }

    @Test
    void onlyForensicsKnowsJson() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "forensics")
                .should()
                .dependOnClassesThat(resideInAnyPackage("tools.jackson..", "com.fasterxml.jackson.."))
                .check(MAIN);
    }

    @Test
    void diagnosisIsAPureTable() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + "diagnosis")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.io..", "java.nio..", "java.sql..", "org.slf4j..")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .check(MAIN);
    }

    @Test
    void noRoomsLeadInACircle() {
        slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void everyRoomIsNullMarked() {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass each : MAIN) {
            if (!each.getPackage().isAnnotatedWith(NullMarked.class)) {
                unmarked.add(each.getPackageName());
            }
        }
        assertThat(unmarked).isEmpty();
    }

    @Test
    void autoConfigurationsShowNothingButTheirNames() {
        List<JavaClass> found = MAIN.stream()
                .filter(each -> each.isAnnotatedWith(AutoConfiguration.class))
                .toList();
        assertThat(found).isNotEmpty();
        for (JavaClass each : found) {
            assertThat(each.getModifiers()).contains(JavaModifier.PUBLIC, JavaModifier.FINAL);
            assertThat(each.getMembers())
                    .filteredOn(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                            || member.getModifiers().contains(JavaModifier.PROTECTED))
                    .isEmpty();
            assertThat(each.getConstructors())
                    .allMatch(constructor -> !constructor.getModifiers().contains(JavaModifier.PUBLIC));
        }
        classes()
                .that()
                .resideInAPackage(ROOT + "autoconfigure")
                .and()
                .areNotAnnotatedWith(AutoConfiguration.class)
                .and()
                .doNotHaveFullyQualifiedName(COMMAND)
                .should()
                .notBePublic()
                .check(MAIN);
    }

    /** Java starts nothing that is not public. */
    @Test
    void theCommandShowsNothingButItsStart() {
        JavaClass command = MAIN.get(COMMAND);
        assertThat(command.getModifiers()).contains(JavaModifier.PUBLIC, JavaModifier.FINAL);
        assertThat(command.getMembers())
                .filteredOn(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                .extracting(JavaMember::getName)
                .containsExactly("main");
    }

    @Test
    void onlyTheSystemRoomStartsAProcess() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + "os")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ProcessBuilder.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Runtime.class)
                .check(MAIN);
    }

    @Test
    void onlyTheSystemRoomKnowsProc() throws IOException {
        Pattern literal = Pattern.compile("\"[^\"\\n]*/proc[^\"\\n]*\"");
        Map<String, List<String>> found = new LinkedHashMap<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source :
                    sources.filter(path -> path.toString().endsWith(".java")).toList()) {
                List<String> literals = Files.readAllLines(source).stream()
                        .filter(line -> !line.strip().startsWith("*"))
                        .filter(line -> literal.matcher(line).find())
                        .toList();
                if (!literals.isEmpty()) {
                    found.put(source.toString(), literals);
                }
            }
        }
        assertThat(found).isNotEmpty();
        assertThat(found.keySet()).allMatch(source -> source.contains("/sqlitehealth/os/"));
    }

    /** One open and close of a database file would drop every lock of the process on it. */
    @Test
    void nobodyOpensAFileButThoseWhoHaveAReason() {
        Set<String> opening = new TreeSet<>();
        for (JavaClass each : MAIN) {
            if (each.getAccessesFromSelf().stream().anyMatch(RoomsTest::opensAFile)) {
                String name = each.getName().substring(ROOT.length());
                opening.add(name.contains("$") ? name.substring(0, name.indexOf('$')) : name);
            }
        }
        assertThat(opening)
                .as("a class that opens files needs a reason here")
                .isNotEmpty()
                .isSubsetOf(MAY_OPEN.keySet());
    }

    private static boolean opensAFile(JavaAccess<?> access) {
        AccessTarget target = access.getTarget();
        String owner = target.getOwner().getName();
        String name = target.getName();
        if (owner.equals(FileChannel.class.getName()) || owner.equals(AsynchronousFileChannel.class.getName())) {
            return name.equals("open");
        }
        if (owner.equals(Files.class.getName())) {
            return OPENING.contains(name);
        }
        if (owner.startsWith("tools.jackson.") && target instanceof AccessTarget.CodeUnitCallTarget call) {
            return call.getRawParameterTypes().stream()
                    .anyMatch(type -> type.isEquivalentTo(File.class) || type.isEquivalentTo(Path.class));
        }
        return OPENING_TYPES.contains(owner);
    }

    @Test
    void nobodyButWitnessesRecoveryAndDiscoveryConnects() {
        DescribedPredicate<JavaAccess<?>> connecting = describe(
                "open a connection",
                access -> Set.of("getConnection", "createConnection")
                        .contains(access.getTarget().getName()));
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + "witness", ROOT + "recovery", ROOT + "autoconfigure")
                .should()
                .accessTargetWhere(connecting)
                .check(MAIN);
    }
}
