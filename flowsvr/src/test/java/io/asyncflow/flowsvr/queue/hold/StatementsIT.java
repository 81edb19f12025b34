package io.asyncflow.flowsvr.queue.hold;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.FlowServer;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;

/** What holds cost the database, counted in statements. It has a server of its own. */
@RunningServer
@TestPropertySource(
    properties = {
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.StatementCounter",
      "flow.governance.cleaning-interval=1h" // what comes once a minute would not average out
    })
@DirtiesContext
@TestMethodOrder(OrderAnnotation.class)
class StatementsIT {

  private static final int POLLERS = 200;
  private static final int TYPES = 200;
  private static final int CREATES = 30;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired TaskHolds holds;
  @Autowired TaskReporter reporter;
  @Autowired TaskQueries queries;
  @Autowired TaskFamilies families;
  @Autowired TableDrain drain;
  @Autowired Environment environment;

  @Test
  void claimOfTenTasksIsAHandfulOfStatements() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(200);
    StatementCounter.clear();

    List<Long> each = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      long before = StatementCounter.ofThisThread();
      List<Task> held = given.aHold(lark).limit(10).withId("h" + i).ofStages("first").now();
      each.add(StatementCounter.ofThisThread() - before);
      assertThat(held).hasSize(10);
      reporter.report(
          Given.parsed(held.stream().map(task -> given.reportOn(task).asSuccess("")).toList()));
    }

    System.out.printf(Locale.ROOT, "statements of each claim of 10 tasks: %s%n", each);
    // With types and families read anew now and then, the first time all that there is to know,
    // and a look at the whole once a second.
    assertThat(each).allMatch(count -> count <= 12);
    assertThat(each.stream().mapToLong(Long::longValue).min().orElseThrow()).isLessThanOrEqualTo(6);
  }

  /** How far it is from a controller or a loop to the database; the figures are for people. */
  @Test
  void waysToTheDatabaseAreShort() {
    Wire wire = new Wire(port);
    TaskType lark = given.aType().create();
    String table = "t_" + lark.name() + "_task_";
    String create =
        "{'taskData':{'userId':'u','taskType':'%s','taskStage':'s','taskContext':''}}"
            .formatted(lark.name());
    wire.post("/api/task/createTask", create); // makes the tables
    Predicate<String> changes =
        text -> text.startsWith("UPDATE (") || text.startsWith("UPDATE " + table);
    String hold =
        "{'taskType':'%s','workerId':'w','limit':1,'stages':['s']}".formatted(lark.name());

    StatementCounter.clear();
    wire.post("/api/task/createTask", create);
    printFrames("create", inserts(table), 20);
    StatementCounter.clear();
    JsonNode task = wire.post("/api/task/hold_task", hold).result().path("taskList").path(0);
    printFrames("hold", changes, 30);
    StatementCounter.clear();
    wire.post(
        "/api/task/set_task",
        "{'taskId':'%s','workerId':'w','leaseEpoch':%s,'outcome':'SUCCESS'}"
            .formatted(task.path("taskId").asString(), task.path("leaseEpoch").asInt()));
    printFrames("report", changes, 20);

    StatementCounter.clear();
    String schedule =
        "{'scheduleData':{'name':'frames','everyMs':1000,'maxFires':1,'taskData':{'userId':'u',"
            + "'taskType':'%s','taskStage':'s','taskContext':''}}}";
    wire.post("/api/schedule/save", schedule.formatted(lark.name()));
    printFramesOnceSent("fire", inserts(table), 30);
    String filter = "{'act':'CANCEL','filter':{'q':'type:%s'}}".formatted(lark.name());
    JsonNode preview = wire.post("/api/bulk/preview", filter).result();
    StatementCounter.clear();
    wire.post(
        "/api/bulk/start",
        "{'token':'%s','count':%s,'operator':'ann','reason':'frames'}"
            .formatted(
                preview.path("token").asString(), preview.path("count").path("count").asInt()));
    printFramesOnceSent("bulk act", changes, 30);
  }

  private static Predicate<String> inserts(String table) {
    return text -> text.startsWith("INSERT INTO ") && text.contains(table);
  }

  private static void printFramesOnceSent(String act, Predicate<String> statement, int most) {
    await()
        .atMost(PATIENCE)
        .until(() -> StatementCounter.framesTo(statement).filter(f -> !f.isEmpty()).isPresent());
    printFrames(act, statement, most);
  }

  private static void printFrames(String call, Predicate<String> statement, int most) {
    List<String> frames = StatementCounter.framesTo(statement).orElseThrow();
    System.out.printf(Locale.ROOT, "%s: %d frames %s%n", call, frames.size(), frames);
    assertThat(frames).as(call).hasSizeBetween(3, most);
  }

  @Test
  void lanesCostAClaimOneStatement() {
    TaskType open = given.aType().create();
    TaskType laned = given.aType().create();
    given.aWaitingTask().ofType(laned).forWorkers("another").create();
    assertThat(leastOfAClaim(laned)).isLessThanOrEqualTo(leastOfAClaim(open) + 1);
  }

  private long leastOfAClaim(TaskType type) {
    given.aWaitingTask().ofType(type).create(200);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      long before = StatementCounter.ofThisThread();
      assertThat(given.aHold(type).limit(10).ofStages("first").now()).hasSize(10);
      least = Math.min(least, StatementCounter.ofThisThread() - before);
    }
    return least;
  }

  @Test
  void claimOfATypeWithManyStagesDoesNotLookForThemEachTime() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).create();
    // Thirty tasks of each, so that a statement finds a dozen stages.
    given.copies(
        model, 1, 7_500, "status = 1, task_stage = CONCAT('s', LPAD(FLOOR(id / 30), 4, '0'))");

    List<Long> each = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      long before = StatementCounter.ofThisThread();
      assertThat(given.aHold(lark).limit(10).now()).hasSize(10);
      each.add(StatementCounter.ofThisThread() - before);
    }

    System.out.printf(
        Locale.ROOT, "statements of each claim of 10 tasks of 250 stages: %s%n", each);
    // Four to look at 200 stages, and as many as any claim.
    assertThat(each.stream().mapToLong(Long::longValue).min().orElseThrow()).isLessThanOrEqualTo(9);
  }

  @Test
  void limitIsCountedByOneStatementHoweverManyTablesAreLive() {
    TaskType lark = given.aType().create();
    given.change(lark, "max_executing", 100);
    for (int i = 0; i < 12; i++) {
      given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
      given.nextTable(lark);
    }
    given.aWaitingTask().ofType(lark).create(50);

    List<Long> each = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      long before = StatementCounter.ofThisThread();
      assertThat(given.aHold(lark).limit(2).withId("h" + i).ofStages("first").now()).hasSize(2);
      each.add(StatementCounter.ofThisThread() - before);
    }
    // A claim without limits takes up to six; and to lock, to find the tables, and to count.
    assertThat(each.stream().mapToLong(Long::longValue).min().orElseThrow()).isLessThanOrEqualTo(9);
  }

  @Test
  void pageThatIsFilledAsksNoTableBehindBegin() {
    TaskType lark = aTypeWithTablesBehindBegin(12);
    given.aWaitingTask().ofType(lark).create(20);
    queries.list(lark, Set.of(), 5, null, Names.ALL); // remembers which numbers those tables have

    long before = StatementCounter.ofThisThread();
    assertThat(queries.list(lark, Set.of(), 5, null, Names.ALL).taskList()).hasSize(5);
    assertThat(StatementCounter.ofThisThread() - before).isLessThanOrEqualTo(5);
  }

  @Test
  void tablesBehindBeginAreAuditedByOneStatement() {
    TaskFamily family = families.find(aTypeWithTablesBehindBegin(12), NOW).orElseThrow();

    long before = StatementCounter.ofThisThread();
    assertThat(drain.takeBackLost(family.drained())).isZero();
    assertThat(StatementCounter.ofThisThread() - before).isEqualTo(1);
  }

  private TaskType aTypeWithTablesBehindBegin(int count) {
    TaskType type = given.aType().create();
    for (int i = 0; i < count; i++) {
      given.set(given.aWaitingTask().ofType(type).create(), "status = 4");
      given.nextTable(type);
    }
    await()
        .until(
            () -> {
              drain.runOnce();
              return families.find(type, NOW).orElseThrow().drained().size() == count;
            });
    return type;
  }

  @Test
  @Order(1) // the others leave types with waiting tasks
  void twoHundredIdleLongPollersCostAFewStatementsASecond() {
    TaskType lark = given.aType().create();
    try (IdlePollers pollers = new IdlePollers(lark)) {
      int polled = POLLERS / 10; // what there was before has ended
      await().atMost(PATIENCE).until(() -> pollers.polls.get() >= polled);

      StatementCounter.clear();
      long cpuBefore = cpuNanos();
      long begin = System.nanoTime();
      await().atMost(PATIENCE).until(() -> pollers.polls.get() >= polled + POLLERS);
      double seconds = (System.nanoTime() - begin) / 1e9;
      double statements = StatementCounter.all() / seconds;
      System.out.printf(
          Locale.ROOT,
          "%s idle long-pollers, %.1f new polls a second: %.2f statements a second,"
              + " %.1f %% of a core with this test in it%n%s%n",
          POLLERS,
          POLLERS / seconds,
          statements,
          (cpuNanos() - cpuBefore) / 1e7 / seconds,
          StatementCounter.most(20));

      // Mostly 1.7. One for each poll would be thirteen more.
      assertThat(statements).isLessThanOrEqualTo(3);
    }
  }

  /** Workers that poll and beat without end, one after another. */
  private final class IdlePollers implements AutoCloseable {

    private static final Duration POLL = Duration.ofSeconds(15);

    private final AtomicInteger polls = new AtomicInteger(); // that have ended with nothing
    private final AtomicReferenceArray<CompletableFuture<List<Task>>> parked =
        new AtomicReferenceArray<>(POLLERS);
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final Wire wire = new Wire(port);
    private final TaskType type;
    private volatile boolean closed;

    IdlePollers(TaskType type) {
      this.type = type;
      for (int i = 0; i < POLLERS; i++) {
        poll(i, POLL.multipliedBy(i + 1).dividedBy(POLLERS));
      }
    }

    private void poll(int worker, Duration wait) {
      CompletableFuture<List<Task>> answer =
          given
              .aHold(type)
              .by("w" + worker)
              .withId(UUID.randomUUID().toString())
              .ofStages("first", "second")
              .waiting(wait.toMillis(), MILLISECONDS);
      parked.set(worker, answer);
      answer.thenRunAsync(() -> pollAgain(worker), threads);
    }

    private void pollAgain(int worker) {
      if (!closed) {
        wire.post("/api/worker/heartbeat", "{'workerId':'w" + worker + "','tasks':[]}");
        polls.incrementAndGet();
        poll(worker, POLL);
      }
    }

    @Override
    public void close() {
      closed = true;
      threads.shutdown();
      for (int i = 0; i < POLLERS; i++) {
        parked.get(i).cancel(false);
      }
    }
  }

  /** Two servers, no Redis: each learns of what the other one creates by its scan alone. */
  @Test
  @Order(2)
  void manyTypesWithParkedHoldsOnTwoServersCostAFewStatementsASecond() {
    List<TaskType> types = new ArrayList<>();
    for (int i = 0; i < TYPES; i++) {
      types.add(given.aType().create());
    }
    try (ConfigurableApplicationContext second = secondServer()) {
      TaskHolds there = second.getBean(TaskHolds.class);
      List<CompletableFuture<List<Task>>> here = new ArrayList<>();
      List<CompletableFuture<List<Task>>> elsewhere = new ArrayList<>();
      for (int i = 0; i < TYPES; i++) {
        Set<String> stages = i % 2 == 0 ? Set.of("first") : Set.of(); // all that there are
        here.add(holds.hold(parked(types.get(i), "here", stages)));
        elsewhere.add(there.hold(parked(types.get(i), "there", stages)));
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> holds.parked() == TYPES && there.parked() == TYPES);
      StatementCounter.clear();
      awaitScans(
          10); // which a server that believes itself alone makes in the better part of a minute

      StatementCounter.clear();
      long cpuBefore = cpuNanos();
      long begin = System.nanoTime();
      awaitScans(30);
      double seconds = (System.nanoTime() - begin) / 1e9;
      double statements = StatementCounter.all() / seconds;
      System.out.printf(
          Locale.ROOT,
          "FIGURE %s types with parked holds on two servers without Redis: %.1f statements a second"
              + " on the database, both servers use %.1f %% of a core%n%s%n",
          TYPES,
          statements,
          (cpuNanos() - cpuBefore) / 1e7 / seconds,
          StatementCounter.most(10));

      here.forEach(answer -> answer.cancel(false));
      await().atMost(PATIENCE).until(() -> holds.parked() == 0);
      List<Long> rounds = new ArrayList<>();
      Wire wire = new Wire(port);
      for (int i = 0; i < CREATES; i++) {
        StatementCounter.clear();
        wire.post(
            "/api/task/createTask",
            "{'taskData':{'userId':'u','taskType':'%s','taskStage':'first','taskContext':'{}'}}"
                .formatted(types.get(i)));
        assertThat(elsewhere.get(i)).succeedsWithin(PATIENCE);
        rounds.add(StatementCounter.ofThreadsLike("due-scan")); // here nothing is scanned for
      }
      elsewhere.forEach(answer -> answer.cancel(false));
      rounds.sort(null);
      System.out.printf(
          Locale.ROOT,
          "FIGURE create on one server, start on the other, no Redis: rounds of the scan p50 %d,"
              + " p90 %d, max %d%n",
          rounds.get(CREATES / 2),
          rounds.get(CREATES * 9 / 10),
          rounds.get(CREATES - 1));

      assertThat(statements).isLessThanOrEqualTo(25);
      // The next round finds it, one that was under way may not, and others may follow until the
      // claim is through: how long a round and its pause take is the machine's matter.
      assertThat(rounds.get(CREATES / 2)).isBetween(1L, 3L);
    }
  }

  /** Until the scan of each of the two servers has sent so many statements; a round sends one. */
  private static void awaitScans(int rounds) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> StatementCounter.ofThreads("due-scan"),
            scans -> scans.size() == 2 && scans.stream().allMatch(sent -> sent >= rounds));
  }

  private static Hold parked(TaskType type, String worker, Set<String> stages) {
    return new Hold(type, 1, worker, Duration.ofMinutes(2), null, stages);
  }

  private ConfigurableApplicationContext secondServer() {
    return new SpringApplication(FlowServer.class)
        .run(
            Stream.of(
                    "server.port",
                    "spring.datasource.url",
                    "spring.datasource.username",
                    "spring.datasource.password",
                    "spring.datasource.hikari.data-source-properties.queryInterceptors",
                    "flow.governance.cleaning-interval",
                    "flow.store.dir",
                    "flow.store.min-free")
                .map(
                    name ->
                        "--"
                            + name
                            + "="
                            + (name.equals("server.port")
                                ? "0"
                                : environment.getRequiredProperty(name)))
                .toArray(String[]::new));
  }

  @Test
  void holdsThatLeaveADueTaskToOthersAskOnceASecond() {
    TaskType tts = given.aType().create();
    given.aWaitingTask().ofType(tts).inStage("other").create();
    List<CompletableFuture<List<Task>>> parked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      parked.add(
          given
              .aHold(tts)
              .by("w" + i)
              .ofStages("loaded", "other")
              .preferring("loaded", 10, SECONDS)
              .waiting(4, SECONDS));
    }
    StatementCounter.clear();
    long begin = System.nanoTime();
    assertThat(parked).allSatisfy(answer -> assertThat(answer.join()).isEmpty());
    double seconds = (System.nanoTime() - begin) / 1e9;
    double statements = StatementCounter.all() / seconds;
    System.out.printf(
        Locale.ROOT,
        "20 holds that leave a due task to others: %.2f statements a second%n%s%n",
        statements,
        StatementCounter.most(8));
    // Five, and what runs once a minute; a hold that asked by itself would make twenty times five.
    assertThat(statements).isLessThanOrEqualTo(20);
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
