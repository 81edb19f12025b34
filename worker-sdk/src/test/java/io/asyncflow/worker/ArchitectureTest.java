package io.asyncflow.worker;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String INTERNAL = "io.asyncflow.worker.internal";

  private static final Pattern IMPORT_OF_THE_LOOPS =
      Pattern.compile("import (static )?" + Pattern.quote(INTERNAL));

  private static final JavaClasses SDK =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.asyncflow.worker");

  @Test
  void onlyTheAutoConfigurationKnowsSpring() {
    noClasses()
        .that()
        .resideOutsideOfPackage("..autoconfigure..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.springframework..")
        .check(SDK);
  }

  @Test
  void theLoopsKnowNothingOfWhatIsBuiltOnThem() {
    noClasses()
        .that()
        .resideInAPackage("..internal..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("..autoconfigure..", "..testing..")
        .check(SDK);
  }

  /** A room uses those below it: there is no cycle. */
  @Test
  void theRoomsOfTheLoopsUseOneAnotherInOneDirection() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("worker")
        .definedBy(INTERNAL)
        .layer("poll")
        .definedBy(INTERNAL + ".poll")
        .layer("execute")
        .definedBy(INTERNAL + ".execute")
        .layer("report")
        .definedBy(INTERNAL + ".report")
        .layer("spool")
        .definedBy(INTERNAL + ".spool")
        .layer("run")
        .definedBy(INTERNAL + ".run")
        .layer("stage")
        .definedBy(INTERNAL + ".stage")
        .layer("json")
        .definedBy(INTERNAL + ".json")
        .layer("schedule")
        .definedBy(INTERNAL + ".schedule")
        .layer("loop")
        .definedBy(INTERNAL + ".loop")
        .whereLayer("worker")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("poll")
        .mayOnlyAccessLayers("execute", "report", "run", "stage", "loop")
        .whereLayer("execute")
        .mayOnlyAccessLayers("report", "run", "stage", "loop")
        .whereLayer("report")
        .mayOnlyAccessLayers("spool", "run", "stage", "json", "loop")
        .whereLayer("spool")
        .mayOnlyAccessLayers("loop")
        .whereLayer("run")
        .mayOnlyAccessLayers("stage", "loop")
        .whereLayer("stage")
        .mayOnlyAccessLayers("json", "loop")
        .whereLayer("json")
        .mayNotAccessAnyLayer()
        .whereLayer("schedule")
        .mayOnlyAccessLayers("loop")
        .whereLayer("loop")
        .mayNotAccessAnyLayer()
        .ensureAllClassesAreContainedInArchitecture()
        .check(SDK.that(resideInAPackage(INTERNAL + "..")));
  }

  /**
   * What is public in the loops is public for their rooms and for this SDK, and for nobody else.
   */
  @Test
  void noOtherModuleImportsTheLoops() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      List<Path> others =
          modules
              .filter(module -> !module.endsWith("worker-sdk"))
              .map(module -> module.resolve("src"))
              .filter(Files::isDirectory)
              .toList();
      assertThat(others).isNotEmpty();
      assertThat(others)
          .allSatisfy(module -> assertThat(sourcesThatImportTheLoops(module)).isEmpty());
    }
  }

  private static List<Path> sourcesThatImportTheLoops(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> IMPORT_OF_THE_LOOPS.matcher(read(file)).find())
          .toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void onlyTheTickerReadsTheClock() {
    noClasses()
        .that()
        .resideInAPackage("..internal..")
        .and()
        .doNotHaveSimpleName("Ticker")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(Instant.class, "now")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Clock")
        .check(SDK);
  }

  @Test
  void nobodySleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(SDK);
  }

  /** A program that is started in another way gets the worker's keys with its environment. */
  @Test
  void onlyChildProgramsStartsPrograms() {
    noClasses()
        .that()
        .areNotAssignableTo(ChildPrograms.class)
        .should()
        .callConstructor(ProcessBuilder.class, String[].class)
        .orShould()
        .callConstructor(ProcessBuilder.class, List.class)
        .orShould()
        .callMethodWhere(target(name("exec")).and(target(owner(type(Runtime.class)))))
        .check(SDK);
  }

  @Test
  void theSdkNeverSeesTheServer() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideOutsideOfPackage("io.asyncflow.flowsvr..")
        .check(SDK);
  }
}
