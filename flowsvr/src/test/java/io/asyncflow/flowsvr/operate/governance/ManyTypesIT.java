package io.asyncflow.flowsvr.operate.governance;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.upkeep.JobRetention;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.queue.lease.LeaseStore;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.task.number.WriteOutageStore;
import io.asyncflow.flowsvr.task.row.TransitionStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.table.upkeep.TableDrain;
import io.asyncflow.flowsvr.task.table.upkeep.TableRetention;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;

/**
 * What types cost that nobody uses, counted in statements. Each has a job that has ended and two
 * tables with a task that is not due; of every other type one of them is behind begin, and done.
 */
@RunningServer
@TestPropertySource(
    properties = {
      "spring.datasource.hikari.data-source-properties.queryInterceptors="
          + "io.asyncflow.flowsvr.StatementCounter",
      "flow.governance.sweep-interval=1h",
      "flow.governance.cleaning-interval=1h"
    })
@DirtiesContext
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyTypesIT {

  private static final int TYPES = 60;

  /** A statement or two for each 50 of the 120 tables, and a few that are one for all types. */
  private static final int FEW = 16;

  @Autowired Given given;
  @Autowired LateTasks lateTasks;
  @Autowired InvariantAuditor auditor;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired TableDrain drain;
  @Autowired TableRetention tableRetention;
  @Autowired JobRetention jobRetention;
  @Autowired TaskQueries queries;
  @Autowired TaskTypes types;
  @Autowired TaskFamilies families;
  @Autowired LeaseStore leases;
  @Autowired WriteOutageStore outages;
  @Autowired TransitionStore transitions;
  @Autowired RetryingTransactions transactions;
  @Autowired Events events;
  @Autowired TaskPulse pulse;
  @Autowired JdbcClient jdbc;

  private final List<TaskId> ids = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong();

  @BeforeAll
  void typesThatNobodyUses() {
    for (int i = 0; i < TYPES; i++) {
      TaskType type = given.aType().with("retention_days", 1).create();
      TaskId first = aTaskOfAnn(type);
      if (i % 2 == 0) { // its first table will be behind begin
        given.set(first, "status = 4");
      }
      given.nextTable(type);
      ids.addAll(List.of(first, aTaskOfAnn(type)));
      anEndedJob(type, i + 1);
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              drain.runOnce();
              return jdbc.sql("SELECT COUNT(*) FROM t_schedule_pos WHERE schedule_begin_pos = 1")
                      .query(Integer.class)
                      .single()
                  == TYPES / 2;
            });
  }

  private TaskId aTaskOfAnn(TaskType type) {
    return given.aWaitingTask().ofType(type).ofUser("ann").dueIn(1, HOURS).create();
  }

  private void anEndedJob(TaskType type, long id) {
    jdbc.sql(
            """
            INSERT INTO t_job
              (id, user_id, job_type, child_type, body_hash, input_bytes, state, split_number,
               split_table, total, create_time, modify_time, end_time)
            SELECT :id, 'ann', :type, :type, REPEAT('x', 32), 0, 'SUCCESS', 1, 1, 0, now.ms, now.ms,
              now.ms
            FROM (SELECT UNIX_TIMESTAMP() * 1000 - 120000 AS ms) now
            """)
        .param("id", id)
        .param("type", type.name())
        .update();
  }

  @Test
  void noDutyTakesAStatementAType() {
    assertFew("late-tasks", lateTasks::runOnce);
    assertFew("invariant-auditor", auditor::runOnce);
    assertFew("expired-lease-sweep", sweep::runOnce);
    assertFew("table-drain", drain::runOnce);
    assertFew("table-retention", tableRetention::runOnce);
    assertFew("job-retention", jobRetention::runOnce);
  }

  @Test
  void tableWithoutALeaseIsLeftAloneUntilOneThatWasTakenSinceCanHaveRunOut() {
    ExpiredLeaseSweep own = aSweep();
    Task ofBusy = aHeldTask();
    TaskId waiting = given.aWaitingTask().ofType(given.aType().create()).create();
    assertThat(own.runIfDue(2_000)).isEqualTo(new ExpiredLeaseSweep.Result(0, 0, 0));

    Task ofIdle = given.aHold(waiting.type()).theTask();
    given.letPass(1, HOURS, ofBusy);
    given.letPass(1, HOURS, ofIdle);
    nanos.addAndGet(SECONDS.toNanos(1));
    assertThat(own.runIfDue(2_000)).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(ofBusy).status()).isEqualTo(TaskStatus.WAITING);

    nanos.addAndGet(SECONDS.toNanos(10));
    assertThat(own.runIfDue(2_000)).isEqualTo(new ExpiredLeaseSweep.Result(1, 0, 0));
    assertThat(given.row(ofIdle).status()).isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void everyTableHasItsTurnWhereThereAreMoreThanASweepCounts() {
    List<Task> held = List.of(aHeldTask(), aHeldTask());
    String broken = Given.idOf(aHeldTask()).table().sqlName();
    ExpiredLeaseSweep own = aSweep();
    jdbc.sql("RENAME TABLE %1$s TO away_%1$s".formatted(broken)).update();
    try {
      sweepAsOftenAsThereAreTables(own, broken);
      held.forEach(task -> given.letPass(1, HOURS, task));
      sweepAsOftenAsThereAreTables(own, broken);
    } finally {
      jdbc.sql("RENAME TABLE away_%1$s TO %1$s".formatted(broken)).update();
    }
    assertThat(held).extracting(t -> given.row(t).status()).containsOnly(TaskStatus.WAITING);
  }

  /** Each table is due again by then, so each sweep has to choose. */
  private void sweepAsOftenAsThereAreTables(ExpiredLeaseSweep own, String broken) {
    FailureCollector failures = new FailureCollector();
    for (TaskFamily family : families.all(RECENT)) {
      for (int i = 0; i < family.live().size(); i++) {
        nanos.addAndGet(SECONDS.toNanos(11));
        failures.collect(() -> own.runIfDue(1));
      }
    }
    assertThatThrownBy(failures::throwFirst).hasMessageContaining(broken);
  }

  private ExpiredLeaseSweep aSweep() {
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return nanos.get();
          }
        };
    return new ExpiredLeaseSweep(
        types, families, leases, outages, transitions, transactions, events, pulse, node);
  }

  private Task aHeldTask() {
    TaskType type = given.aType().create();
    given.aWaitingTask().ofType(type).create();
    return given.aHold(type).theTask();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1_000})
  void listOfAUserTakesNoStatementAType(int limit) {
    assertFew("any status", () -> queries.listOfUser("ann", Set.of(), limit, null, Names.ALL));
    assertFew(
        "waiting",
        () -> queries.listOfUser("ann", Set.of(TaskStatus.WAITING), limit, null, Names.ALL));
    assertFew("nobody", () -> queries.listOfUser("nobody", Set.of(), limit, null, Names.ALL));
  }

  @Test
  void listOfAUserOverManyTypesIsComplete() {
    List<String> newestFirst =
        ids.stream()
            .sorted(Comparator.comparingLong(TaskId::number).reversed())
            .map(TaskId::toString)
            .toList();
    for (int limit : List.of(7, 1_000)) {
      assertThat(allOf("ann", Set.of(), limit)).isEqualTo(newestFirst);
      assertThat(allOf("ann", Set.of(TaskStatus.WAITING, TaskStatus.SUCCESS), limit))
          .isEqualTo(newestFirst);
      assertThat(allOf("ann", Set.of(TaskStatus.SUCCESS), limit)).hasSize(TYPES / 2);
    }
  }

  private List<String> allOf(String user, Set<TaskStatus> statuses, int limit) {
    List<String> all = new ArrayList<>();
    String cursor = null;
    do {
      TaskPage page = queries.listOfUser(user, statuses, limit, cursor, Names.ALL);
      page.taskList().forEach(task -> all.add(task.taskId()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return all;
  }

  /** Once before, so that what is remembered for a while is not counted. */
  private static void assertFew(String what, Runnable work) {
    work.run();
    long before = StatementCounter.ofThisThread();
    work.run();
    assertThat(StatementCounter.ofThisThread() - before).as(what).isLessThanOrEqualTo(FEW);
  }
}
