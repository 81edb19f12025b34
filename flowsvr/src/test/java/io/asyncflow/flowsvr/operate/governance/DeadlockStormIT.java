package io.asyncflow.flowsvr.operate.governance;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskAct;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.operator.Expected;
import io.asyncflow.flowsvr.operate.operator.OperatorActs;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.hold.TaskHolds;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.queue.lease.LeaseRenewer;
import io.asyncflow.flowsvr.queue.lease.ParsedBeat;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.queue.report.TaskUpdate;
import io.asyncflow.flowsvr.queue.report.TaskUpdater;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskActs.Arguments;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Everything at once on one type: claims, reports, beats, sweeps, creates, lists, the acts of
 * operators and of old clients, a roll, and leases that run out at random.
 *
 * <p>The server locks the rows of a table in the order of their ids, by the primary key before any
 * other index, or skips what is locked. So its own acts do not deadlock, and a storm counts that.
 * Somebody else's SQL may lock in another order; the database then chooses victims, and no caller
 * may notice.
 */
@RunningServer
@Tag("contract")
class DeadlockStormIT {

  private static final int CLAIMERS = 64;
  private static final int OTHERS = 16;
  private static final Duration STORM = Duration.ofSeconds(4);
  private static final long SEED = Long.getLong("asyncflow.test.seed", 20_260_207);
  private static final List<String> STAGES = List.of("split", "work", "merge");
  private static final int KEYS = 3_000;

  /**
   * There were none in any storm of either engine, and fifty where one statement had its own order.
   */
  private static final int FEW_DEADLOCKS = 5;

  /**
   * Reports between two acts of the stranger, who locks every held task of a table. With few of
   * them a storm would be his alone, and no number of repeats would bring a report past him.
   */
  private static final int REPORTS_A_STRANGER = 300;

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @Autowired TaskHolds holds;
  @Autowired TaskReporter reporter;
  @Autowired TaskUpdater updater;
  @Autowired LeaseRenewer renewer;
  @Autowired OperatorActs operator;
  @Autowired TaskQueries queries;
  @Autowired TaskFamilies families;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired JdbcClient jdbc;

  private final Map<String, TaskId> createdByKey = new ConcurrentHashMap<>();
  private final Set<String> holdsSeen = ConcurrentHashMap.newKeySet();
  private final Set<String> accepted = ConcurrentHashMap.newKeySet();
  private final Queue<Report> sentReports = new ConcurrentLinkedQueue<>();
  private final AtomicReferenceArray<TaskId> someTasks = new AtomicReferenceArray<>(256);
  private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  private final AtomicInteger strangersActs = new AtomicInteger();
  private TaskType type;
  private boolean hasStranger;

  @BeforeEach
  void typeThatRetriesAtOnce() {
    type = given.aType().with("retry_interval", 0).with("max_retry_num", 5).create();
  }

  @Test
  void theServersOwnActsHardlyEverDeadlockAndNothingIsLostOrDoneTwice() {
    long before = deadlocks();

    storm();

    assertThat(deadlocks() - before).isLessThanOrEqualTo(FEW_DEADLOCKS);
    drain();
    audit();
  }

  @Test
  void noCallerNoticesAStrangerWhoLocksInAnotherOrder() {
    hasStranger = true;

    storm();

    assertThat(strangersActs).hasPositiveValue();
    drain();
    audit();
  }

  private void storm() {
    families.of(type);
    long before = deadlocks();
    long end = System.nanoTime() + STORM.toNanos();

    AtOnce.from(
        CLAIMERS + OTHERS,
        number -> {
          Random random = new Random(SEED + number);
          for (int round = 0; System.nanoTime() < end; round++) {
            unlessTheContractNamesIt(number, round, random);
          }
          return null;
        });

    System.out.printf(
        Locale.ROOT,
        "storm of seed %s: %s tasks, %s holds of tasks, %s accepted reports, %s deadlocks,"
            + " %s acts of a stranger%n",
        SEED,
        createdByKey.size(),
        holdsSeen.size(),
        accepted.size(),
        deadlocks() - before,
        strangersActs.get());
    assertThat(surprises).isEmpty();
  }

  /** Of the whole engine since it started. */
  private long deadlocks() {
    return jdbc.sql("SELECT count FROM information_schema.innodb_metrics WHERE name = ?")
        .param("lock_deadlocks")
        .query(Long.class)
        .single();
  }

  private void unlessTheContractNamesIt(int number, int round, Random random) {
    try {
      act(number, round, random);
    } catch (FlowException e) {
      // refused, as the contract says
    } catch (Exception e) {
      if (!AtOnce.isFullPool(e)) {
        surprises.add(e);
      }
    }
  }

  private void act(int number, int round, Random random) throws Exception {
    if (number < CLAIMERS) {
      claimBeatAndReport(number, random);
      return;
    }
    switch (number - CLAIMERS) {
      case 0, 1, 2, 3, 4 -> create(random);
      case 5, 6, 7 -> sweep.runOnce();
      case 8, 9 -> letLeasesRunOut(random);
      case 10, 11 -> operate(random);
      case 12, 13 -> updateAsOldClientsDo(random);
      case 14 -> list(random);
      default -> {
        if (round == 20) {
          given.nextTable(type);
        }
        report(new ArrayList<>(sentReports.stream().limit(50).toList()), random);
      }
    }
  }

  private void create(Random random) {
    List<String> keys = new ArrayList<>();
    List<TaskDraft> batch = new ArrayList<>();
    for (int i = random.nextInt(40); i >= 0; i--) {
      int n = random.nextInt(KEYS);
      keys.add("key " + n);
      batch.add(
          given
              .aWaitingTask()
              .ofType(type)
              .inStage(STAGES.get(n % STAGES.size()))
              .ofUser("user " + n % 5)
              .withPriority(n % 3)
              .withKey("key " + n)
              .asDraft());
    }
    List<TaskId> ids = creator.create(CreateCall.of(batch));
    for (int i = 0; i < ids.size(); i++) {
      TaskId id = ids.get(i);
      TaskId before = createdByKey.putIfAbsent(keys.get(i), id);
      if (before != null && !before.equals(id)) {
        surprises.add(new AssertionError(keys.get(i) + " made " + before + " and " + id));
      }
      someTasks.set(random.nextInt(someTasks.length()), id);
    }
  }

  private void claimBeatAndReport(int number, Random random) throws Exception {
    String worker = random.nextInt(8) == 0 ? "" : "worker " + number;
    Hold hold =
        new Hold(
            type,
            1 + random.nextInt(20),
            worker,
            Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(40) : 0),
            random.nextBoolean() ? UUID.randomUUID().toString() : null,
            random.nextBoolean() ? Set.of() : Set.of("split", "merge"));
    List<Task> tasks = holds.hold(hold).get(20, TimeUnit.SECONDS);
    for (Task task : tasks) {
      if (!holdsSeen.add(task.taskId() + " " + task.leaseEpoch())) {
        surprises.add(new AssertionError("held twice with one epoch: " + task));
      }
    }
    if (!worker.isEmpty() && random.nextBoolean()) {
      renewer.renew(
          worker,
          tasks.stream()
              .map(
                  task ->
                      ParsedBeat.of(
                          new HeldTask(task.taskId(), task.leaseEpoch(), random.nextInt(100))))
              .toList(),
          TestCallers.ADMIN);
    }
    List<Report> reports = new ArrayList<>();
    for (Task task : tasks) {
      if (random.nextInt(10) > 0) { // else its lease runs out
        reports.add(aReport(task, worker, random));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      Report old = sentReports.poll();
      if (old != null) {
        reports.add(old);
      }
    }
    report(reports, random);
  }

  private static Report aReport(Task task, String worker, Random random) {
    Outcome outcome = Outcome.values()[random.nextInt(Outcome.values().length)];
    return Report.of(task.taskId(), worker, task.leaseEpoch(), outcome)
        .withReportId(random.nextBoolean() ? UUID.randomUUID().toString() : null)
        .withNext(outcome == Outcome.NEXT_STAGE ? STAGES.get(random.nextInt(3)) : null, null, null)
        .withResult("result")
        .withErrMsg("message")
        .withRetryAfterMs(outcome == Outcome.RETRY ? 0L : null)
        .withDelayMs(outcome == Outcome.SNOOZE ? 0L : null);
  }

  private void report(List<Report> reports, Random random) {
    if (reports.isEmpty()) {
      return;
    }
    Collections.shuffle(reports, random);
    List<ReportResult> results = reporter.report(Given.parsed(reports));
    for (int i = 0; i < results.size(); i++) {
      Report report = reports.get(i);
      boolean isAccepted = results.get(i).outcome() == ReportResult.Verdict.ACCEPTED;
      if (isAccepted && !accepted.add(report.taskId() + " " + report.leaseEpoch())) {
        surprises.add(new AssertionError("accepted twice: " + report));
      }
    }
    sentReports.addAll(reports);
  }

  private TaskTable aTable(Random random) {
    List<TaskTable> tables = families.of(type).live();
    return tables.get(random.nextInt(tables.size()));
  }

  private void letLeasesRunOut(Random random) {
    String path = isTheStrangersTurn() ? "idx_claim" : "PRIMARY";
    try {
      jdbc.sql(
              "UPDATE %s FORCE INDEX (%s) SET lease_end = 0 WHERE status = 2 ORDER BY id LIMIT 5"
                  .formatted(aTable(random).sqlName(), path))
          .update();
    } catch (PessimisticLockingFailureException e) {
      // this test is not the server
    }
  }

  private boolean isTheStrangersTurn() {
    int acts = strangersActs.get();
    return hasStranger
        && accepted.size() >= acts * REPORTS_A_STRANGER
        && strangersActs.compareAndSet(acts, acts + 1);
  }

  private void operate(Random random) {
    TaskId id = someTasks.get(random.nextInt(someTasks.length()));
    if (id == null) {
      return;
    }
    if (random.nextInt(3) == 0) {
      operator.act(id, TaskAct.CANCEL, Arguments.NONE, Expected.ANYTHING, new Reason("storm", ""));
    } else {
      operator.act(id, TaskAct.RETRY, Arguments.NONE, Expected.ANYTHING, new Reason("storm", ""));
    }
  }

  private void updateAsOldClientsDo(Random random) {
    TaskId id = someTasks.get(random.nextInt(someTasks.length()));
    if (id != null) {
      TaskStatus status = random.nextBoolean() ? null : TaskStatus.WAITING;
      updater.update(
          new TaskUpdate(id, status, null, "context", null, 1, null, null, null, null, null),
          TestCallers.ADMIN);
    }
  }

  private void list(Random random) {
    if (random.nextBoolean()) {
      queries.list(type, Set.of(TaskStatus.WAITING), 50, null, Names.ALL);
    } else {
      queries.listOfUser("user " + random.nextInt(5), Set.of(), 50, null, Names.ALL);
    }
  }

  /** Everybody gives up, and one worker that never fails does what is left. */
  private void drain() {
    List<Task> held;
    do {
      for (TaskTable table : families.of(type).live()) {
        jdbc.sql("UPDATE " + table.sqlName() + " SET lease_end = 0 WHERE status = 2").update();
        jdbc.sql("UPDATE " + table.sqlName() + " SET order_time = 0 WHERE status = 1").update();
      }
      sweep.runOnce();
      held = given.aHold(type).limit(1_000).now();
      reporter.report(
          Given.parsed(
              held.stream().map(task -> given.reportOn(task).asSuccess("drained")).toList()));
    } while (!held.isEmpty());
  }

  private void audit() {
    for (TaskTable table : allTables()) {
      assertThat(count(table, "status NOT IN (4, 8, 16)")).as("unfinished in " + table).isZero();
      assertThat(count(table, "reported_epoch > lease_epoch")).isZero();
    }
    Map<String, Integer> lastEpochs = lastEpochs();
    assertThat(lastEpochs.keySet())
        .as("what was created, and nothing else")
        .containsExactlyInAnyOrderElementsOf(
            createdByKey.values().stream().map(TaskId::toString).toList());
    for (String hold : holdsSeen) {
      String[] taskAndEpoch = hold.split(" ");
      assertThat(Integer.parseInt(taskAndEpoch[1])).isBetween(1, lastEpochs.get(taskAndEpoch[0]));
    }
    assertThat(accepted).isSubsetOf(holdsSeen);
  }

  /** Drained ones too: the server may find at any moment that all tasks of a table are done. */
  private List<TaskTable> allTables() {
    return families.of(type).readable();
  }

  private Map<String, Integer> lastEpochs() {
    Map<String, Integer> epochs = new HashMap<>();
    for (TaskTable table : allTables()) {
      jdbc.sql("SELECT id, lease_epoch FROM " + table.sqlName())
          .query(
              rs -> {
                epochs.put(new TaskId(rs.getLong(1), table).toString(), rs.getInt(2));
              });
    }
    return epochs;
  }

  private long count(TaskTable table, String condition) {
    return jdbc.sql("SELECT COUNT(*) FROM " + table.sqlName() + " WHERE " + condition)
        .query(Long.class)
        .single();
  }
}
