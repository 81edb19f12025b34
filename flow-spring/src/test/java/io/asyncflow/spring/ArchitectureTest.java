package io.asyncflow.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final String OUTBOX = "io.asyncflow.spring.outbox..";

  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.asyncflow.spring");

  @Test
  void onlyTheOutboxNeedsADatabase() {
    noClasses()
        .that()
        .resideOutsideOfPackage(OUTBOX)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            OUTBOX,
            "java.sql..",
            "javax.sql..",
            "org.springframework.jdbc..",
            "org.springframework.transaction..")
        .check(MODULE);
  }

  /** These have other names in Spring Boot 3.5. */
  @Test
  void nothingIsUsedThatOneLineOfSpringBootAloneHas() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework.boot.jdbc..",
            "org.springframework.boot.sql..",
            "org.springframework.boot.health..",
            "tools.jackson..")
        .check(MODULE);
  }

  @Test
  void nobodySleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(MODULE);
  }
}
