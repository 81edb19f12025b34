package io.asyncflow.flowsvr.task.table;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;
import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.table.TaskTableView.State;
import io.asyncflow.flowsvr.task.table.schema.TaskTableStore;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.task.table.upkeep.TableRetention;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The life of a table: filled, sealed, drained, archived, dropped. */
@UnsweptServer
@Tag("contract")
class RollingIT {
  /** Not a {@code TempDir}, which is another one when failed tests are run again. */
  private static final Path archive = newDirectory();

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired TaskTypes types;
  @Autowired TaskFamilies families;
  @Autowired SchedulePositions positions;
  @Autowired TaskTableStore tables;
  @Autowired TableLifeStore lives;
  @Autowired NewTaskTables newTaskTables;
  @Autowired TableDrain drain;
  @Autowired TableRetention retention;
  @Autowired RetryingTransactions transactions;
  @Autowired DatabaseWatch database;
  @Autowired TaskQueries queries;
  @Autowired TaskCreator creator;

  private static Path newDirectory() {
    try {
      return Files.createTempDirectory(Path.of("target"), "archive").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @DynamicPropertySource
  static void archiveDirectory(DynamicPropertyRegistry registry) {
    registry.add("flow.archive-dir", archive::toString);
  }

  private TaskType aTypeThatRollsAt(int threshold) {
    TaskType type = given.aType().create();
    given.change(type, "roll_threshold", threshold);
    return type;
  }

  private long rowsIn(TaskTable table) {
    return jdbc.sql("SELECT COUNT(*) FROM " + table.sqlName()).query(Long.class).single();
  }

  private List<State> statesOf(TaskType type) {
    TaskFamily family = families.refreshed(type);
    return lives.describe(family).stream().map(TaskTableView::state).toList();
  }

  private void finishAll(TaskType type) {
    for (List<Task> held = given.aHold(type).limit(100).now();
        !held.isEmpty();
        held = given.aHold(type).limit(100).now()) {
      held.forEach(task -> given.reportOn(task).success("done"));
    }
  }

  @Test
  void tableExceedsItsThresholdByABatchAtMost() {
    TaskType type = aTypeThatRollsAt(100);
    for (int i = 0; i < 110; i++) {
      given.aWaitingTask().ofType(type).create();
    }
    given.aWaitingTask().ofType(type).create(250); // one call
    for (int i = 0; i < 110; i++) {
      given.aWaitingTask().ofType(type).create();
    }

    List<Long> counts = families.refreshed(type).live().stream().map(this::rowsIn).toList();
    assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(470);
    assertThat(counts).containsExactly(100L, 260L, 100L, 10L);
  }

  @Test
  void createsOfTwoServersNeverFailWhileTheFamilyRolls() {
    TaskType type = aTypeThatRollsAt(100);
    TaskFamilies familiesThere =
        new TaskFamilies(positions, transactions, tables, lives, new Node());
    NewTaskTables there = new NewTaskTables(familiesThere, lives, new Node());
    TaskTypeConfig config = types.require(type);

    List<List<TaskTable>> chosen =
        AtOnce.from(
            8,
            thread -> {
              List<TaskTable> ofThread = new ArrayList<>();
              for (int i = 0; i < 200; i++) {
                ofThread.add((thread % 2 == 0 ? newTaskTables : there).tableFor(config, 1));
              }
              return ofThread;
            });

    List<TaskTable> all = chosen.stream().flatMap(List::stream).toList();
    TaskFamily family = families.refreshed(type);
    assertThat(family.live()).hasSizeBetween(15, 17).containsAll(Set.copyOf(all));
    for (TaskTable table : family.live()) {
      assertThat(all.stream().filter(table::equals).count()).isLessThanOrEqualTo(100);
    }
    assertThat(family.live()).allMatch(table -> rowsIn(table) == 0);
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void whileNoTableCanBeMadeTheLastOneTakesMore(CapturedOutput output) {
    TaskType type = aTypeThatRollsAt(100);
    given.aWaitingTask().ofType(type).create();
    String next = new TaskTable(type, 2).sqlName();
    jdbc.sql("CREATE VIEW " + next + " AS SELECT 1 AS id").update();

    List<TaskId> ids = given.aWaitingTask().ofType(type).create(300);
    for (int i = 0; i < 10; i++) {
      ids.add(given.aWaitingTask().ofType(type).create());
    }
    assertThat(ids).extracting(id -> id.table().number()).containsOnly(1);
    assertThat(
            output.getOut().lines().filter(line -> line.contains(ids.get(0).table() + " is full")))
        .as("said once")
        .hasSize(1);

    jdbc.sql("DROP VIEW " + next).update();
    // Not at once: it is put off for nine times as long as the last try took.
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> given.aWaitingTask().ofType(type).create(10).get(0).table().number() == 2);
  }

  @Test
  void familyWhoseNextTableCannotBeMadeHindersNoOther() {
    TaskType blocked = aTypeThatRollsAt(100);
    given.aWaitingTask().ofType(blocked).create(90);
    String next = new TaskTable(blocked, 2).sqlName();
    jdbc.sql("CREATE VIEW " + next + " AS SELECT 1 AS id").update();
    List<TaskType> others = Stream.generate(() -> given.aType().create()).limit(4).toList();
    for (TaskType other : others) {
      given.aWaitingTask().ofType(other).create();
      finishAll(other);
      given.nextTable(other);
    }

    families.outdated();
    assertThatThrownBy(() -> drain.runOnce()).isInstanceOf(DataAccessException.class);

    assertThat(others)
        .allSatisfy(
            other -> assertThat(statesOf(other)).containsExactly(State.DRAINED, State.OPEN));
    jdbc.sql("DROP VIEW " + next).update();
  }

  @Test
  void nextTableIsMadeBeforeItIsNeeded() {
    TaskType type = aTypeThatRollsAt(100);
    given.aWaitingTask().ofType(type).create(70);
    families.outdated();
    drain.runOnce();
    assertThat(tables.existing()).doesNotContain(new TaskTable(type, 2));

    for (int i = 0; i < 20; i++) {
      given.aWaitingTask().ofType(type).create();
    }
    families.outdated();
    drain.runOnce();
    assertThat(tables.existing()).contains(new TaskTable(type, 2));
    assertThat(families.refreshed(type).end().number()).isEqualTo(1);
  }

  @Test
  void beginPassesWhatIsDoneAndWaitsForAStraggler() {
    TaskType type = given.aType().create();
    for (int number = 1; number <= 3; number++) {
      given.aWaitingTask().ofType(type).create(3);
      given.nextTable(type);
    }
    assertThat(statesOf(type)).containsExactly(State.FULL, State.FULL, State.FULL, State.OPEN);
    TaskId straggler = given.aWaitingTask().ofType(type).create();
    finishAll(type);
    TaskTable second = new TaskTable(type, 2);
    jdbc.sql("UPDATE %s SET status = 2 LIMIT 1".formatted(second.sqlName())).update();

    families.outdated();
    drain.runOnce();

    assertThat(statesOf(type)).containsExactly(State.DRAINED, State.FULL, State.FULL, State.OPEN);
    jdbc.sql("UPDATE %s SET status = 4".formatted(second.sqlName())).update();
    drain.runOnce();
    assertThat(statesOf(type))
        .containsExactly(State.DRAINED, State.DRAINED, State.DRAINED, State.OPEN);
    assertThat(families.refreshed(type).begin()).isEqualTo(straggler.table());
    assertThat(queries.list(type, Set.of(), 100, null, Names.ALL).taskList()).hasSize(10);
  }

  @Test
  void beginDoesNotMovePastACreatorOnItsWay() throws Exception {
    TaskType type = given.aType().create();
    TaskId done = given.aWaitingTask().ofType(type).create();
    finishAll(type);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);

    Thread slowCreator =
        new Thread(
            () ->
                transactions.execute(
                    () -> {
                      assertThat(newTaskTables.enter(done.table())).isTrue();
                      entered.countDown();
                      await(goOn);
                      jdbc.sql(
                              "INSERT INTO %1$s (id, user_id, task_stage, status, order_time,"
                                      .formatted(done.table().sqlName())
                                  + " create_time, modify_time, task_context, schedule_log)"
                                  + " VALUES (1, 'u', 's', 1, 0, 0, 0, '', '')")
                          .update();
                      return null;
                    }));
    slowCreator.start();
    await(entered);
    given.nextTable(type);

    long begin = System.nanoTime();
    drain.runOnce();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    assertThat(statesOf(type)).containsExactly(State.FULL, State.OPEN);
    assertThat(given.aWaitingTask().ofType(type).create().table().number())
        .as("others are not hindered")
        .isEqualTo(2);

    goOn.countDown();
    slowCreator.join();
    drain.runOnce();
    assertThat(statesOf(type)).containsExactly(State.FULL, State.OPEN);

    finishAll(type);
    drain.runOnce();
    assertThat(statesOf(type)).containsExactly(State.DRAINED, State.OPEN);
  }

  @Test
  void creatorThatComesTooLateGoesToTheEnd() {
    TaskType type = given.aType().create();
    TaskFamilies familiesThere =
        new TaskFamilies(positions, transactions, tables, lives, new Node());
    given.aWaitingTask().ofType(type).create();
    finishAll(type);

    // Another server rolls and drains while this one still remembers the old position.
    familiesThere.all(RECENT);
    assertThat(familiesThere.advance(new TaskTable(type, 1))).isTrue();
    new TableDrain(types, familiesThere, positions, lives, transactions, database, new Node())
        .runOnce();

    assertThat(given.aWaitingTask().ofType(type).create().table().number()).isEqualTo(2);
    assertThat(statesOf(type)).containsExactly(State.DRAINED, State.OPEN);
  }

  @Test
  void createThatMeetsADrainWaitsForItAndGoesToTheEnd() throws Exception {
    TaskType type = given.aType().create();
    TaskTable first = given.aWaitingTask().ofType(type).create().table();
    finishAll(type);
    TaskFamilies familiesThere =
        new TaskFamilies(positions, transactions, tables, lives, new Node());
    assertThat(familiesThere.advance(first)).isTrue();
    TaskDraft task = given.aWaitingTask().ofType(type).asDraft();
    List<TaskDraft> batch = Collections.nCopies(300, task);
    TaskDraft withKey = given.aWaitingTask().ofType(type).withKey("k").asDraft();
    List<Supplier<TaskId>> creates =
        List.of(
            () -> creator.create(task),
            () -> creator.create(CreateCall.of(batch)).get(299),
            () -> creator.create(withKey));
    ExecutorService threads = Executors.newFixedThreadPool(creates.size());
    try {
      List<Future<TaskId>> created =
          transactions.executeOnce(
              () -> {
                assertThat(lives.lockForDrain(first)).isTrue();
                List<Future<TaskId>> begun =
                    creates.stream().map(c -> threads.submit(() -> patiently(c))).toList();
                Awaitility.await().until(() -> waitForLocks() == begun.size());
                positions.advanceBegin(type.name(), 1);
                lives.markDrained(first);
                return begun;
              });
      for (Future<TaskId> id : created) {
        assertThat(id.get(1, TimeUnit.MINUTES).table().number()).isEqualTo(2);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(rowsIn(first)).isEqualTo(1);
    assertThat(rowsIn(new TaskTable(type, 2))).isEqualTo(302);
  }

  /** However slow the machine is that ends the drain. */
  private static <T> T patiently(Supplier<T> create) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        return create.get();
      } catch (PessimisticLockingFailureException e) {
        // waited long enough for a request, but not for this test
      }
    }
    throw new IllegalStateException("the test is over");
  }

  private int waitForLocks() {
    return jdbc.sql(
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
        .query(Integer.class)
        .single();
  }

  @Test
  void aTableThatAnotherServerBeganIsListedAndNotTakenForANewOne() {
    TaskType type = given.aType().create();
    TaskTable first = families.of(type).end();
    TaskFamilies familiesThere =
        new TaskFamilies(positions, transactions, tables, lives, new Node());
    Wire wire = new Wire(port);
    String ofType = "{'taskType':'" + type.name() + "'}";

    assertThat(familiesThere.advance(first)).isTrue();

    assertThat(wire.post("/api/task_schedule_cfg/tables", ofType).result().path("tables"))
        .hasSize(2);
    TaskTable second = new TaskTable(type, 2);
    assertThat(familiesThere.advance(second)).isTrue();
    assertThat(wire.post("/api/task_schedule_cfg/roll", ofType).result().path("table").asString())
        .isEqualTo(new TaskTable(type, 4).sqlName());
  }

  @Test
  void typeGetsSoManyTablesADayByHand() {
    TaskType type = given.aType().create();
    Wire wire = new Wire(port);
    String ofType = "{'taskType':'" + type.name() + "'}";
    for (int made = families.of(type).end().number(); made < 24; made++) {
      assertThat(wire.post("/api/task_schedule_cfg/roll", ofType).code()).isZero();
    }

    Wire.Answer refused = wire.post("/api/task_schedule_cfg/roll", ofType);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.code()).isEqualTo(8080);
    assertThat(refused.msg()).contains("24 tables within a day");
    jdbc.sql("UPDATE t_task_table SET create_time = create_time - 90000000 WHERE task_type = ?")
        .param(type.name())
        .update();
    assertThat(wire.post("/api/task_schedule_cfg/roll", ofType).result().path("table").asString())
        .isEqualTo(new TaskTable(type, 25).sqlName());
  }

  /** At another database server a create may have been under way. */
  @Test
  void drainedTableIsLookedAtOnceMore() {
    AtomicLong clock = new AtomicLong();
    Node slow =
        new Node() {
          @Override
          public long nanoTime() {
            return clock.get();
          }
        };
    TableDrain drainThere =
        new TableDrain(types, families, positions, lives, transactions, database, slow);
    TaskType type = given.aType().create();
    TaskId task = given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    TaskType cleaned = given.aType().create();
    TaskId first = given.aWaitingTask().ofType(cleaned).create();
    finishAll(cleaned);
    given.nextTable(cleaned);
    drainThere.runOnce();
    given.set(task, "status = 1");
    assertThat(retention.giveUpNow(first.table(), () -> {})).isTrue();
    retention.runOnce(Duration.ZERO);
    assertThat(tables.existing()).doesNotContain(first.table());

    clock.set(Duration.ofSeconds(7).toNanos());
    drainThere.runOnce();
    assertThat(statesOf(type)).containsExactly(State.DRAINED, State.OPEN);

    clock.set(Duration.ofSeconds(8).toNanos());
    drainThere.runOnce();
    assertThat(statesOf(type)).containsExactly(State.FULL, State.OPEN);
  }

  @Test
  void nothingIsEverCreatedInADrainedTable() {
    TaskType type = given.aType().create();
    given.aWaitingTask().ofType(type).create();
    TaskFamilies familiesThere =
        new TaskFamilies(positions, transactions, tables, lives, new Node());
    TableDrain drainThere =
        new TableDrain(types, familiesThere, positions, lives, transactions, database, new Node());
    AtomicBoolean isOver = new AtomicBoolean();

    List<Integer> created =
        AtOnce.from(
            5,
            thread ->
                thread == 0
                    ? rollAndDrain(type, familiesThere, drainThere, isOver)
                    : createUntil(isOver, type, thread));

    for (TaskTable table : familiesThere.find(type, NOW).orElseThrow().live()) {
      finishAllIn(table);
    }
    List<TaskTable> all = familiesThere.find(type, NOW).orElseThrow().readable();
    assertThat(all.stream().filter(lives::hasUnfinished)).as("lost tasks").isEmpty();
    assertThat(all.stream().mapToLong(this::rowsIn).sum())
        .isEqualTo(1 + created.stream().mapToInt(Integer::intValue).sum());
  }

  /** As another server does it, so that this one remembers the old position for a while. */
  private int rollAndDrain(
      TaskType type, TaskFamilies there, TableDrain drainThere, AtomicBoolean isOver) {
    try {
      for (int i = 0; i < 25; i++) {
        TaskTable end = there.find(type, NOW).orElseThrow().end();
        assertThat(there.advance(end)).isTrue();
        there.find(type, NOW).orElseThrow().live().forEach(this::finishAllIn);
        drainThere.runOnce();
      }
    } finally {
      isOver.set(true);
    }
    return 0;
  }

  private int createUntil(AtomicBoolean isOver, TaskType type, int thread) {
    int created = 0;
    for (int i = 0; !isOver.get(); i++) {
      switch (thread) {
        case 1 -> created += creator.create(CreateCall.of(nCopies(3, aTask(type, null)))).size();
        case 2 -> created += creator.create(CreateCall.of(nCopies(200, aTask(type, null)))).size();
        case 3 -> created += creator.create(CreateCall.of(List.of(aTask(type, "key " + i)))).size();
        default -> {
          creator.create(aTask(type, null));
          created++;
        }
      }
    }
    return created;
  }

  private TaskDraft aTask(TaskType type, String key) {
    return given.aWaitingTask().ofType(type).withKey(key).asDraft();
  }

  private void finishAllIn(TaskTable table) {
    jdbc.sql("UPDATE %s SET status = 4 WHERE status = 1".formatted(table.sqlName())).update();
  }

  @Test
  void oneKeyMakesOneTaskWhileTheFamilyRollsAndAnswersAreLost() {
    TaskType type = aTypeThatRollsAt(100);
    given.aWaitingTask().ofType(type).create();

    List<TaskId> ids =
        AtOnce.from(
            100,
            caller -> {
              if (caller % 10 == 0) {
                AtOnce.patiently(() -> families.advance(families.of(type).end()));
              }
              TaskId answerThatIsLost =
                  AtOnce.patiently(() -> creator.create(aTask(type, "one key")));
              TaskId repeated = AtOnce.patiently(() -> creator.create(aTask(type, "one key")));
              assertThat(repeated).isEqualTo(answerThatIsLost);
              return repeated;
            });

    assertThat(ids).containsOnly(ids.get(0));
    List<TaskTable> all = families.refreshed(type).readable();
    assertThat(all.size()).isGreaterThan(1);
    assertThat(all.stream().mapToLong(this::rowsIn).sum()).isEqualTo(2);
  }

  @Test
  void drainedTableIsArchivedAndDroppedWhenItsTimeIsUp() throws IOException {
    TaskType type = given.aType().create();
    given.change(type, "retention_days", 2);
    List<TaskId> ids = given.aWaitingTask().ofType(type).withContext("{\"é\":1}").create(1_203);
    jdbc.sql("UPDATE %s SET status = 4".formatted(ids.get(0).table().sqlName())).update();
    given.nextTable(type);
    drain.runOnce();

    letPass(1, type);
    families.outdated();
    retention.runOnce(Duration.ZERO);
    assertThat(queries.get(ids.get(0)).taskStatus()).isEqualTo(TaskStatus.SUCCESS);

    letPass(1, type);
    retention.runOnce(Duration.ZERO);
    assertThat(statesOf(type)).containsExactly(State.DROPPING, State.OPEN);
    assertThatThrownBy(() -> queries.get(ids.get(0)))
        .isInstanceOf(FlowException.class)
        .hasMessage("there is no task %s any more: its table was dropped", ids.get(0));

    assertThat(retention.runOnce(Duration.ZERO)).isEqualTo(1);
    assertThat(tables.existing()).doesNotContain(ids.get(0).table());
    assertThat(statesOf(type)).containsExactly(State.OPEN);
    assertThat(archived(ids.get(0).table()))
        .hasSize(1_203)
        .allMatch(line -> line.contains("{\\\"é\\\":1}"))
        .first()
        .asString()
        .contains(ids.get(0).toString());
    assertThat(given.aWaitingTask().ofType(type).create().table().number()).isEqualTo(2);
  }

  @Test
  void drainedTableIsDroppedBeforeItsTimeIfAnOperatorSaysSo() throws IOException {
    TaskType type = given.aType().create();
    TaskId done = given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    drain.runOnce();
    String table = done.table().sqlName();

    Wire.Answer cleaned = clean(type, table);
    assertThat(cleaned.body().toString()).isEqualTo("{\"msg\":\"ok\",\"code\":0,\"result\":null}");
    assertThat(statesOf(type)).containsExactly(State.DROPPING, State.OPEN);
    assertThatThrownBy(() -> queries.get(done)).isInstanceOf(FlowException.class);
    retention.runOnce(Duration.ZERO);
    assertThat(tables.existing()).doesNotContain(done.table());
    assertThat(archived(done.table())).hasSize(1);
    assertThat(actsOn(type)).containsExactly("CLEAN ann disk {\"table\":\"" + table + "\"}");

    assertThat(clean(type, table).badFields()).as("it is gone").containsExactly("table");
  }

  @Test
  void onlyTheFirstDrainedTableCanBeCleaned() {
    TaskType type = given.aType().create();
    given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    given.aWaitingTask().ofType(type).create();
    given.nextTable(type);
    drain.runOnce();
    assertThat(statesOf(type))
        .containsExactly(State.DRAINED, State.DRAINED, State.FULL, State.OPEN);

    for (int number : new int[] {2, 3, 4}) {
      Wire.Answer refused = clean(type, new TaskTable(type, number).sqlName());
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.code()).isEqualTo(8051);
    }
    for (String nowhere : List.of(new TaskTable(type, 5).sqlName(), "t_schedule_cfg", "x")) {
      assertThat(clean(type, nowhere).badFields()).containsExactly("table");
    }
    assertThat(actsOn(type)).isEmpty();

    String first = new TaskTable(type, 1).sqlName();
    assertThat(clean(type, first).code()).isZero();
    assertThat(clean(type, first).code()).as("it is being dropped").isEqualTo(8051);
    assertThat(clean(type, new TaskTable(type, 2).sqlName()).code()).isZero();
    assertThat(actsOn(type)).hasSize(2);
  }

  @Test
  void tableThatManyCleanAtOnceIsGivenUpOnce() {
    TaskType type = given.aType().create();
    given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    drain.runOnce();
    String table = new TaskTable(type, 1).sqlName();
    assertThat(AtOnce.from(8, i -> clean(type, table).code()))
        .containsOnlyOnce(0)
        .containsOnly(0, 8051);
    assertThat(actsOn(type)).hasSize(1);
  }

  private Wire.Answer clean(TaskType type, String table) {
    return new Wire(port)
        .post(
            "/api/task_schedule_cfg/clean",
            "{'taskType':'%s','table':'%s','operator':'ann','reason':'disk'}"
                .formatted(type.name(), table));
  }

  private List<String> actsOn(TaskType type) {
    return jdbc.sql(
            "SELECT CONCAT(act, ' ', operator, ' ', reason, ' ', detail) FROM t_act WHERE object ="
                + " ?")
        .param("type:" + type.name())
        .query(String.class)
        .list();
  }

  @Test
  void dropThatWasCutOffIsFinished() {
    TaskType type = given.aType().create();
    given.change(type, "retention_days", 1);
    TaskId done = given.aWaitingTask().ofType(type).create();
    finishAll(type);
    given.nextTable(type);
    drain.runOnce();
    letPass(1, type);
    families.outdated();
    retention.runOnce(Duration.ZERO);
    tables.drop(done.table()); // and then the server was killed

    assertThat(retention.runOnce(Duration.ZERO)).isEqualTo(1);
    assertThat(statesOf(type)).containsExactly(State.OPEN);
  }

  @Test
  void tableThatCannotBeArchivedHindersNoOther() throws IOException {
    List<TaskTable> old = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      TaskType type = given.aType().create();
      given.change(type, "retention_days", 1);
      old.add(given.aWaitingTask().ofType(type).create().table());
      finishAll(type);
      given.nextTable(type);
    }
    drain.runOnce();
    old.forEach(table -> letPass(1, table.type()));
    families.outdated();
    retention.runOnce(Duration.ZERO);
    TaskTable first = Collections.min(old);
    Path inTheWay = Files.createDirectory(archive.resolve(first.sqlName() + ".jsonl.gz"));
    Files.createFile(inTheWay.resolve("file"));

    assertThatThrownBy(() -> retention.runOnce(Duration.ZERO))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageStartingWith(first + " cannot be archived and is not dropped until it can: ");

    assertThat(tables.existing()).contains(first).doesNotContain(Collections.max(old));
    Files.delete(inTheWay.resolve("file"));
    Files.delete(inTheWay);
    assertThat(retention.runOnce(Duration.ZERO)).isEqualTo(1);
  }

  private static List<String> archived(TaskTable table) throws IOException {
    Path file = archive.resolve(table.sqlName() + ".jsonl.gz");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return lines.lines().toList();
    }
  }

  private void letPass(int days, TaskType type) {
    jdbc.sql("UPDATE t_task_table SET drain_time = drain_time - :ms WHERE task_type = :type")
        .param("ms", TimeUnit.DAYS.toMillis(days))
        .param("type", type.name())
        .update();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
