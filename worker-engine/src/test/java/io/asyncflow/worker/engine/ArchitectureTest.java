package io.asyncflow.worker.engine;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

  private static final JavaClasses ENGINE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.asyncflow.worker.engine");

  @Test
  void enginesUseWhatAnyHandlerUses() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.asyncflow.worker.internal..",
            "io.asyncflow.worker.autoconfigure..",
            "io.asyncflow.worker.testing..",
            "org.springframework..")
        .check(ENGINE);
  }

  @Test
  void nobodySleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(ENGINE);
  }

  /** The SDK's ChildPrograms does, which passes no key on. */
  @Test
  void nothingHereStartsProgramsByItself() {
    noClasses()
        .should()
        .callConstructor(ProcessBuilder.class, String[].class)
        .orShould()
        .callConstructor(ProcessBuilder.class, List.class)
        .orShould()
        .callMethodWhere(target(name("exec")).and(target(owner(type(Runtime.class)))))
        .check(ENGINE);
  }
}
