package io.asyncflow.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ContainerNode;

class ArchitectureTest {

  private static final String ROOT = "io.asyncflow.console.";
  private static final int MOST_CLASSES = 12;

  /** From the top: a package uses what stands below it. */
  private static final List<String> PACKAGES =
      List.of("autoconfigure", "page", "frame", "asset", "chart", "json", "text");

  private static final JavaClasses CONSOLE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.asyncflow");

  @Test
  void packagesUseWhatStandsBelowThem() {
    List<String> above = new ArrayList<>();
    for (String name : PACKAGES) {
      if (!above.isEmpty()) {
        noClasses()
            .that()
            .resideInAPackage(ROOT + name + "..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                above.stream().map(each -> ROOT + each + "..").toArray(String[]::new))
            .check(CONSOLE);
      }
      above.add(name);
    }
  }

  /** So that all that it shows and does could be scripted, too. */
  @Test
  void consoleKnowsNothingOfTheServer() {
    noClasses()
        .that()
        .resideInAPackage("io.asyncflow.console..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.asyncflow.flowsvr..", "io.asyncflow.rules..", "io.asyncflow.worker..", "java.sql..")
        .check(CONSOLE);
  }

  /** Others may be shown the same. */
  @Test
  void answersAreNeverChanged() {
    noClasses()
        .that()
        .resideInAPackage("io.asyncflow.console..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(ContainerNode.class)
        .check(CONSOLE);
  }

  @Test
  void packagesAreSmall() {
    Map<String, Long> sizes =
        CONSOLE.stream()
            .filter(type -> type.getPackageName().startsWith("io.asyncflow.console"))
            .filter(type -> !type.getPackageName().contains(".jte"))
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(type -> type.getPackageName(), Collectors.counting()));
    assertThat(sizes)
        .allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(MOST_CLASSES));
  }
}
