package io.asyncflow.worker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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

  @Test
  void theSdkNeverSeesTheServer() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideOutsideOfPackage("io.asyncflow.flowsvr..")
        .check(SDK);
  }
}
