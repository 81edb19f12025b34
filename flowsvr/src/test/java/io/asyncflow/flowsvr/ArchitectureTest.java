package io.asyncflow.flowsvr;

import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static java.util.stream.Collectors.joining;
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
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.web.read.Fields;
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

  /**
   * From the top, wing by wing: a feature may use what stands below its line, and nothing else. So
   * a wing uses only the wings below it.
   */
  private static final List<List<String>> FEATURES =
      List.of(
          List.of("front.console", "front.compat"),
          List.of("operate.governance"),
          List.of("operate.why", "operate.bulk"),
          List.of("operate.operator", "operate.search", "operate.stats"),
          List.of("compose.schedule", "compose.hook"),
          List.of("compose.job", "compose.store"),
          List.of("queue.worker"),
          List.of("queue.hold"),
          List.of("queue.report", "queue.lease", "queue.query"),
          List.of("queue.create"),
          List.of("queue.claim"),
          List.of("queue.due"),
          List.of("task.row"),
          List.of("task.number"),
          List.of("task.lane"),
          List.of("task.index"),
          List.of("task.table"),
          List.of("task.event"),
          List.of("task.type"),
          List.of("task.pause"),
          List.of("edge.key", "edge.session", "edge.audit"),
          List.of("edge.access"),
          List.of("edge.act"),
          List.of("edge.web"),
          List.of("base.leader", "base.pulse"),
          List.of("base.duty"),
          List.of("base.system"));

  /** Within a feature, from the top: a room may use what stands below it. */
  private static final List<List<String>> ROOMS =
      List.of(
          List.of(
              "compose.schedule",
              "compose.schedule.upkeep",
              "compose.schedule.fire",
              "compose.schedule.slice",
              "compose.schedule.core"),
          List.of("queue.create", "queue.create.limit"),
          List.of(
              "edge.access.chain",
              "edge.access.login",
              "edge.access.session",
              "edge.access.site",
              "edge.access.token",
              "edge.access.refusal",
              "edge.access.key",
              "edge.access"),
          List.of(
              "operate.stats",
              "operate.stats.present",
              "operate.stats.history",
              "operate.stats.depth"),
          List.of("base.pulse", "base.pulse.failure", "base.pulse.count"),
          List.of("compose.hook", "compose.hook.egress"),
          List.of("operate.search", "operate.search.words"),
          List.of("operate.bulk.run", "operate.bulk"),
          List.of("compose.store.upkeep", "compose.store"),
          List.of("operate.operator.pause", "operate.operator.table", "operate.operator"),
          List.of(
              "compose.job",
              "compose.job.upkeep",
              "compose.job.progress",
              "compose.job.steps",
              "compose.job.core"),
          List.of("task.table.upkeep", "task.table", "task.table.schema"),
          List.of("task.event", "task.event.log"),
          List.of(
              "edge.web",
              "edge.web.stream",
              "edge.web.load",
              "edge.web.read",
              "edge.web.guard",
              "edge.web.budget",
              "edge.web.error",
              "edge.web.filter",
              "edge.web.tls"),
          List.of(
              "base.system.day",
              "base.system.migration",
              "base.system.db",
              "base.system.redis",
              "base.system.concurrent",
              "base.system.metric",
              "base.system"));

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
    assertThat(packages().map(ArchitectureTest::featureOf).collect(toSet()))
        .isEqualTo(FEATURES.stream().flatMap(List::stream).collect(toSet()));
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
  void everyRoomHasItsPlace() {
    Set<String> placed = ROOMS.stream().flatMap(List::stream).collect(toSet());

    Set<String> withRooms =
        packages()
            .filter(name -> !name.equals(featureOf(name)))
            .map(ArchitectureTest::featureOf)
            .collect(toSet());
    assertThat(packages().filter(name -> withRooms.contains(featureOf(name))).collect(toSet()))
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

  /** A feature is the second part of a package's name, behind its wing. */
  private static String featureOf(String name) {
    return Stream.of(name.split("\\.")).limit(2).collect(joining("."));
  }

  private static Stream<String> packages() {
    return SERVER.stream()
        .filter(type -> !type.getSimpleName().equals("package-info")) // Maven makes one of each
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
    classes()
        .that()
        .resideOutsideOfPackage(ROOT + "base.system..")
        .should(readNoClock())
        .check(SERVER);
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
        .resideOutsideOfPackage(ROOT + "base.system..")
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
