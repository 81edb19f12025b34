package io.asyncflow.flowsvr;

import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.schedule.FireTimes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.PathVariable;

/** The few rules of the architecture that a compiler does not know. */
class ArchitectureTest {

  private static final String ROOT = "io.asyncflow.flowsvr.";

  /** From the top: a feature may use what stands below its line, and nothing else. */
  private static final List<List<String>> FEATURES =
      List.of(
          List.of("console", "compat"),
          List.of("governance"),
          List.of("why", "bulk"),
          List.of("schedule", "hook", "key", "session", "audit", "stats", "search"),
          List.of("worker", "job"),
          List.of("operator", "leader", "store"),
          List.of("hold"),
          List.of("claim", "report", "lease", "query"),
          List.of("create"),
          List.of("due"),
          List.of("task"),
          List.of("number"),
          List.of("lane"),
          List.of("index"),
          List.of("tasktable"),
          List.of("event"),
          List.of("tasktype"),
          List.of("pause"),
          List.of("access"),
          List.of("act"),
          List.of("pulse"));

  /** Within a feature, from the top: a room may use what stands below it. */
  private static final List<List<String>> ROOMS =
      List.of(
          List.of(
              "schedule", "schedule.upkeep", "schedule.fire", "schedule.slice", "schedule.core"),
          List.of("create", "create.limit"),
          List.of(
              "access.chain",
              "access.login",
              "access.session",
              "access.site",
              "access.token",
              "access.refusal",
              "access.key",
              "access"),
          List.of("stats", "stats.present", "stats.history", "stats.depth"),
          List.of("pulse", "pulse.failure", "pulse.count"),
          List.of("hook", "hook.egress"),
          List.of("search", "search.words"),
          List.of("bulk.run", "bulk"),
          List.of("store.upkeep", "store"),
          List.of("operator.pause", "operator.table", "operator"),
          List.of("job", "job.upkeep", "job.progress", "job.steps", "job.core"),
          List.of("tasktable.upkeep", "tasktable", "tasktable.schema"),
          List.of("event", "event.log"),
          List.of(
              "web",
              "web.stream",
              "web.load",
              "web.read",
              "web.guard",
              "web.budget",
              "web.error",
              "web.filter",
              "web.tls"),
          List.of(
              "system.day",
              "system.migration",
              "system.db",
              "system.redis",
              "system.concurrent",
              "system.metric",
              "system"));

  /** Used by all features, and using none. */
  private static final Set<String> COMMON = Set.of("web", "system", "duty");

  private static final Set<String> CLOCKS =
      Set.of(
          "java.lang.System.nanoTime",
          "java.lang.System.currentTimeMillis",
          "java.time.Instant.now",
          "java.time.LocalDate.now",
          "java.time.LocalDateTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.ZonedDateTime.now",
          "java.time.Clock.systemUTC",
          "java.time.Clock.systemDefaultZone",
          "java.time.Clock.system",
          "java.util.Date.<init>");

  private static final JavaClasses SERVER = classesBeside(FlowServer.class);

  private static JavaClasses classesBeside(Class<?> member) {
    return new ClassFileImporter()
        .importUrl(member.getProtectionDomain().getCodeSource().getLocation());
  }

  @Test
  void everyFeatureHasItsPlace() {
    Set<String> placed = new HashSet<>(COMMON);
    FEATURES.forEach(placed::addAll);

    assertThat(packages().map(name -> name.split("\\.")[0]).collect(toSet())).isEqualTo(placed);
  }

  @Test
  void featuresOnlyUseWhatStandsBelowThem() {
    Set<String> notBelow = new HashSet<>();
    for (List<String> line : FEATURES) {
      notBelow.addAll(line);
      for (String feature : line) {
        Set<String> others = new HashSet<>(notBelow);
        others.remove(feature);
        check(feature + "..", others.stream().map(other -> other + ".."));
      }
    }
  }

  @Test
  void webAndSystemUseNoFeature() {
    COMMON.forEach(
        common ->
            check(
                common + "..",
                FEATURES.stream().flatMap(List::stream).map(feature -> feature + "..")));
  }

  @Test
  void everyRoomHasItsPlace() {
    Set<String> placed = ROOMS.stream().flatMap(List::stream).collect(toSet());

    Set<String> withRooms =
        packages()
            .filter(name -> name.contains("."))
            .map(name -> name.split("\\.")[0])
            .collect(toSet());
    assertThat(packages().filter(name -> withRooms.contains(name.split("\\.")[0])).collect(toSet()))
        .isEqualTo(placed);
  }

  @Test
  void roomsOnlyUseWhatStandsBelowThem() {
    for (List<String> feature : ROOMS) {
      for (int i = 1; i < feature.size(); i++) {
        check(feature.get(i), feature.subList(0, i).stream());
      }
    }
  }

  private static Stream<String> packages() {
    return SERVER.stream()
        .map(JavaClass::getPackageName)
        .filter(name -> name.startsWith(ROOT))
        .map(name -> name.substring(ROOT.length()))
        .distinct();
  }

  private static void check(String user, Stream<String> used) {
    noClasses()
        .that()
        .resideInAPackage(ROOT + user)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(used.map(name -> ROOT + name).toArray(String[]::new))
        .check(SERVER);
  }

  @Test
  void clocksAreReadOnlyInSystem() {
    classes().that().resideOutsideOfPackage(ROOT + "system..").should(readNoClock()).check(SERVER);
  }

  /** Method references count: {@code System::nanoTime} reads the clock as well. */
  private static ArchCondition<JavaClass> readNoClock() {
    return new ArchCondition<>("read no clock but the one of system") {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        for (JavaCodeUnitAccess<?> access : javaClass.getCodeUnitAccessesFromSelf()) {
          String target = access.getTargetOwner().getName() + "." + access.getTarget().getName();
          if (CLOCKS.contains(target)) {
            events.add(SimpleConditionEvent.violated(access, access.getDescription()));
          }
        }
      }
    };
  }

  /** Otherwise nothing asks whether the caller reaches what it names. */
  @Test
  void whatNamesObjectsTakesTheCaller() {
    methods()
        .that()
        .areAnnotatedWith(Needs.class)
        .and(takeInput())
        .and(DescribedPredicate.not(nameNothing()))
        .should()
        .haveRawParameterTypes(withTheCaller())
        .check(SERVER);
  }

  private static DescribedPredicate<JavaMethod> takeInput() {
    return DescribedPredicate.describe(
        "take input",
        method ->
            method.getParameters().stream()
                .anyMatch(
                    parameter ->
                        parameter.getRawType().isEquivalentTo(Fields.class)
                            || parameter.isAnnotatedWith(PathVariable.class)));
  }

  /** A preview reads no object: its plan comes with the request. */
  private static DescribedPredicate<JavaMethod> nameNothing() {
    return DescribedPredicate.describe(
        "name no object", method -> method.getFullName().contains("ScheduleController.preview("));
  }

  private static DescribedPredicate<List<JavaClass>> withTheCaller() {
    return DescribedPredicate.describe(
        "with the caller",
        types -> types.stream().anyMatch(type -> type.isEquivalentTo(Caller.class)));
  }

  /** JPA repositories do so by their annotations; {@code system} opens connections for all. */
  @Test
  void onlyStoresTalkSql() {
    noClasses()
        .that(are(noStores()))
        .and()
        .resideOutsideOfPackage(ROOT + "system..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework.jdbc.core..")
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.sql\\.(Connection|Statement|PreparedStatement)|javax\\.sql\\.DataSource"
                + "|jakarta\\.persistence\\.EntityManager")
        .check(SERVER);
  }

  private static DescribedPredicate<JavaClass> noStores() {
    return DescribedPredicate.describe(
        "no stores", type -> !outermost(type).getSimpleName().endsWith("Store"));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  /** What is thrown there reaches the caller, who takes the change for one that was not made. */
  @Test
  void nothingFollowsACommitButInAfterCommit() {
    noMethods().should().haveName("afterCommit").check(SERVER);
  }

  /** Or one expression that errs would hold a thread for ever: {@code after} has a bound. */
  @Test
  void whatWalksAlongFireTimesDoesItByAfter() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.(ManualFires|ScheduleSaver)") // ask once
        .should()
        .callMethod(FireTimes.class, "next", long.class)
        .check(SERVER);
  }

  @Test
  void flowApiIsPlainJava() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "jakarta..", "io.asyncflow.flowsvr..")
        .check(classesBeside(Task.class));
  }
}
