package io.asyncflow.dev;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String MODULE = "io.asyncflow.dev";

  /** From the bottom up. */
  private static final List<String> ROOMS =
      Stream.of(
              "",
              ".host",
              ".process",
              ".embedded",
              ".testing",
              ".environment",
              ".text",
              ".speech",
              ".stack",
              ".command.option",
              ".command.access",
              ".command.fleet",
              ".command.work",
              ".command")
          .map(MODULE::concat)
          .toList();

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(MODULE);

  @Test
  void everyClassIsInARoom() {
    classes().should().resideInAnyPackage(ROOMS.toArray(String[]::new)).check(CLASSES);
  }

  @Test
  void roomsDependOnThoseBelowThemAlone() {
    for (int i = 0; i < ROOMS.size() - 1; i++) {
      noClasses()
          .that()
          .resideInAPackage(ROOMS.get(i))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(ROOMS.subList(i + 1, ROOMS.size()).toArray(String[]::new))
          .check(CLASSES);
    }
  }
}
