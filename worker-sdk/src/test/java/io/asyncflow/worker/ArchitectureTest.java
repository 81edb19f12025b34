package io.asyncflow.worker;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.asyncflow.worker.engine.ChildPrograms;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

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
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Instant")
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
