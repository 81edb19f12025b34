package io.asyncflow.flowsvr.queue.claim;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.due.DueStore;
import io.asyncflow.flowsvr.queue.due.DueStore.Gap;
import io.asyncflow.flowsvr.queue.due.DueStore.Scan;
import io.asyncflow.flowsvr.queue.lease.LeaseStore;
import io.asyncflow.flowsvr.queue.lease.LeaseStore.Ending;
import io.asyncflow.flowsvr.queue.lease.ParsedBeat;
import io.asyncflow.flowsvr.queue.lease.RenewalStore;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.queue.report.ParsedReport;
import io.asyncflow.flowsvr.queue.report.TaskReporter;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore;
import io.asyncflow.flowsvr.task.lane.LaneHeadStore.LaneHeads;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the statements cost on a table with many rows that they do not want: counted by the engine,
 * not guessed from a plan.
 *
 * <p>The table has 20,000 waiting tasks of another stage, 5,000 of this stage that are not due, 20
 * that are, 5,000 finished ones and 2,000 that other workers run.
 */
@UnsweptServer
@Tag("contract")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClaimPlanIT {

  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired JdbcTemplate batch;
  @Autowired TransactionTemplate transaction;
  @Autowired ClaimStore claims;
  @Autowired DueStore dueStore;
  @Autowired LaneHeadStore laneHeads;
  @Autowired LeaseStore leases;
  @Autowired RenewalStore renewals;
  @Autowired HeartbeatDatabase heartbeats;
  @Autowired TaskStore tasks;
  @Autowired TaskTypes types;
  @Autowired TaskClaimer claimer;
  @Autowired TaskReporter reporter;
  @Autowired TaskQueries queries;
  @Autowired TaskFamilies families;

  private TaskType type;
  private TaskTable table;
  private List<TaskId> due;

  @BeforeAll
  void aTableFullOfOtherTasks() {
    type = given.aType().create();
    TaskId first = given.aWaitingTask().ofType(type).inStage("mine").dueIn(1, HOURS).create();
    table = first.table();
    given.copies(first, 1, 5_000, "status = 1");
    given.copies(
        first, 10_000, 20_000, "status = 1, task_stage = 'other', order_time = 1000 + id % 777");
    given.copies(first, 40_000, 5_000, "status = 4");
    given.copies(
        first,
        50_000,
        2_000,
        "status = 2, worker_id = 'busy', lease_epoch = 1, hold_time = order_time, lease_end ="
            + " order_time");
    due = given.aWaitingTask().ofType(type).inStage("mine").dueSince(5, MINUTES).create(20);
    analyze(table);
  }

  /** As the engine does by itself some seconds later: until then it plans for an empty table. */
  private void analyze(TaskTable filled) {
    jdbc.sql("ANALYZE TABLE " + filled.sqlName()).query().listOfRows();
  }

  @Test
  void lookAtTheHeadsReadsTheLimitOfEachSource() {
    List<Range> ranges =
        List.of(Range.whole(new Source(table, "mine")), Range.whole(new Source(table, "other")));
    assertThat(rowsReadBy(() -> dueStore.heads(ranges, 50))).isLessThanOrEqualTo(2 * 52);
  }

  @Test
  void scanOfHundredsOfSourcesReadsAnEntryEach() {
    List<Source> sources = new ArrayList<>();
    List<Gap> gaps = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sources.addAll(List.of(new Source(table, "mine"), new Source(table, "other")));
      gaps.add(new Gap(table, "", "mine"));
      gaps.add(new Gap(table, "mine", "other"));
      gaps.add(new Gap(table, "other", null));
    }
    List<TaskType> asked = Collections.nCopies(300, type);

    Scan scan = dueStore.scan(asked, sources, gaps);

    assertThat(scan.heads()).containsOnlyKeys(Set.copyOf(sources));
    assertThat(scan.newStages()).as("mine and other are all that there are").isEmpty();
    assertThat(rowsReadBy(() -> dueStore.scan(asked, sources, gaps))).isLessThanOrEqualTo(1_700);
    assertThat(dueStore.scan(asked, sources, List.of(new Gap(table, "", "other"))).newStages())
        .containsExactly(table);
    assertThat(dueStore.scan(asked, sources, List.of(new Gap(table, "mine", null))).newStages())
        .containsExactly(table);
  }

  @Test
  void claimReadsOneTaskOfAQuietStageBesideABusyOne() {
    TaskType lark = given.aType().create();
    TaskId delayed = given.aWaitingTask().ofType(lark).inStage("quiet").dueIn(1, HOURS).create();
    given.copies(delayed, 10_000, 2_000, "status = 1");
    given.aWaitingTask().ofType(lark).inStage("busy").dueSince(1, MINUTES).create(30);
    Hold busy = given.aHold(lark).ofStages("busy").limit(10).asRequest();
    Hold quiet = given.aHold(lark).ofStages("quiet").limit(500).asRequest();
    List<ClaimRequest> line =
        List.of(new ClaimRequest(busy, false, true), new ClaimRequest(quiet, false, true));
    assertThat(rowsReadBy(() -> claimer.claim(lark, line, Paused.NOTHING))).isBetween(20L, 200L);
  }

  @Test
  void lookForStagesReadsAFewEntriesAStageHoweverManyTasksItHas() {
    assertThat(dueStore.waitingStages(table, "", 10)).containsExactly("mine", "other");
    assertThat(rowsReadBy(() -> dueStore.waitingStages(table, "", 10))).isLessThanOrEqualTo(800);
  }

  @Test
  void manyStagesAreFoundByAFewStatements() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).inStage("s0000").create();
    given.copies(
        model, 1, 3_000, "status = 1, task_stage = CONCAT('s', LPAD(1 + id % 1000, 4, '0'))");
    TaskTable many = model.table();
    assertThat(rowsReadBy(() -> dueStore.waitingStages(many, "", 200))).isLessThanOrEqualTo(2_500);
    assertThat(statementsOf(() -> dueStore.waitingStages(many, "", 200))).isLessThanOrEqualTo(5);

    List<String> all = new ArrayList<>();
    List<String> some;
    do {
      some = dueStore.waitingStages(many, all.isEmpty() ? "" : all.get(all.size() - 1), 200);
      all.addAll(some);
    } while (some.size() == 200);
    assertThat(all).hasSize(1_001).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void stagesWithManyTasksAreFoundByStepsIntoTheIndex() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).inStage("s00").create();
    given.copies(
        model, 1, 20_000, "status = 1, task_stage = CONCAT('s', LPAD(1 + id % 40, 2, '0'))");
    TaskTable big = model.table();
    assertThat(dueStore.waitingStages(big, "", 200)).hasSize(41).isSorted().doesNotHaveDuplicates();
    assertThat(rowsReadBy(() -> dueStore.waitingStages(big, "", 200))).isLessThanOrEqualTo(8_000);
    assertThat(statementsOf(() -> dueStore.waitingStages(big, "", 200))).isLessThanOrEqualTo(13);
  }

  private long statementsOf(Supplier<?> work) {
    return transaction.execute(
        status -> {
          long before = selects();
          work.get();
          return selects() - before;
        });
  }

  private long selects() {
    return jdbc.sql("SHOW SESSION STATUS LIKE 'Com_select'")
        .query((rs, i) -> rs.getLong(2))
        .single();
  }

  @Test
  void lookForTheNextStageReadsItsFirstTask() {
    List<Source> after = List.of(new Source(table, "first"), new Source(table, "mine"));
    assertThat(dueStore.next(after).values())
        .extracting(head -> head.source().stage())
        .containsExactly("mine", "other");
    assertThat(rowsReadBy(() -> dueStore.next(after))).isLessThanOrEqualTo(4);
    assertThat(dueStore.next(List.of(new Source(table, "other")))).isEmpty();
  }

  @Test
  void claimReadsAndLocksOnlyWhatItTakes() {
    Range range = Range.whole(new Source(table, "mine"));
    assertThat(rowsReadBy(() -> claims.lockDue(range, 10))).isBetween(10L, 11L);
    assertThat(locksTakenBy(() -> claims.lockDue(range, 10))).isBetween(10L, 21L);
    // more than are due: it stops at the first one that is not
    assertThat(rowsReadBy(() -> claims.lockDue(range, 100))).isBetween(20L, 22L);
    assertThat(locksTakenBy(() -> claims.lockDue(range, 100))).isBetween(20L, 44L);
  }

  @Test
  void claimerNeitherWaitsForNorHidesWhatAnotherOneLocked() {
    Range range = Range.whole(new Source(table, "mine"));
    transaction.executeWithoutResult(
        mine -> {
          List<TaskId> first = idsOf(claims.lockDue(range, 10));
          List<TaskId> second =
              onAnotherConnection(() -> idsOf(claims.lockDue(range, 100))); // at once: SKIP LOCKED
          assertThat(first).hasSize(10).doesNotContainAnyElementsOf(second);
          assertThat(second).hasSize(10);
        });
  }

  private static Ending allEnded() {
    return new Ending(System.currentTimeMillis(), Duration.ofHours(1));
  }

  @Test
  void sweepReadsOnlyExecutingTasks() {
    assertThat(rowsReadBy(() -> leases.expired(table, allEnded(), 0, 200)))
        .isLessThanOrEqualTo(2_001);
  }

  @Test
  void heartbeatReadsAndLocksOnlyTheTasksThatItNames() {
    Supplier<?> renew = beatsOf(table, "busy", List.of(50_001L, 50_002L));
    long[] cost =
        heartbeats
            .transactions()
            .execute(
                () -> {
                  renew.get();
                  long before = rowsRead(heartbeats.client());
                  renew.get();
                  return new long[] {
                    rowsRead(heartbeats.client()) - before, locksTaken(heartbeats.client())
                  };
                });
    assertThat(cost[0]).isBetween(2L, 10L);
    assertThat(cost[1]).isBetween(2L, 3L);
  }

  @Test
  void writesThatNameTasksLockOnlyThese() {
    List<Long> numbers = List.of(50_001L, 50_002L, 50_003L);
    given.set(new TaskId(50_001, table), "lease_end = 1");
    assertThat(locksTakenBy(() -> tasks.lock(table, numbers))).isLessThanOrEqualTo(4);
    assertThat(locksTakenBy(() -> leases.lockExpired(table, allEnded(), numbers)))
        .isLessThanOrEqualTo(4);
    assertThat(rowsReadBy(() -> leases.lockExpired(table, allEnded(), numbers)))
        .isLessThanOrEqualTo(4);
    List<Long> waiting = due.stream().map(TaskId::number).limit(3).toList();
    List<TaskTransition> changes = changesOf(table, waiting);
    Supplier<Object> hold = () -> claims.markHeld(table, changes);
    assertThat(rowsReadBy(hold)).isLessThanOrEqualTo(10);
    assertThat(locksTakenBy(hold)).isLessThanOrEqualTo(10);
  }

  @Test
  void smallTableIsNotScannedEither() {
    TaskType small = given.aType().create();
    given.aWaitingTask().ofType(small).create(8);
    List<TaskId> ids =
        given.aHold(small).now().stream().map(Given::idOf).sorted(byNumber()).toList();
    ids.forEach(id -> given.set(id, "lease_end = 1"));
    TaskTable smallTable = ids.get(0).table();
    List<Long> some = ids.stream().map(TaskId::number).limit(6).toList();
    transaction.executeWithoutResult(
        other -> {
          tasks.lock(smallTable, List.of(ids.get(7).number()));
          // Each would wait for that lock, and fail, if it looked at a row that it does not name.
          onAnotherConnection(() -> tasks.lock(smallTable, some));
          onAnotherConnection(() -> leases.lockExpired(smallTable, allEnded(), some));
          onAnotherConnection(beatsOf(smallTable, "worker", some));
          onAnotherConnection(
              () -> reporter.report(some.stream().map(n -> releaseOf(smallTable, n)).toList()));
          onAnotherConnection(() -> claims.markHeld(smallTable, changesOf(smallTable, some)));
        });
  }

  @Test
  void listsReadAPageHoweverLongTheTable() {
    assertThat(rowsReadBy(() -> queries.list(type, Set.of(), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(60);
    assertThat(
            rowsReadBy(() -> queries.list(type, Set.of(TaskStatus.WAITING), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(60);
    // few have it, and far back
    assertThat(
            rowsReadBy(() -> queries.list(type, Set.of(TaskStatus.EXECUTING), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(2_100);
    assertThat(
            rowsReadBy(() -> queries.list(type, Set.of(TaskStatus.CANCELLED), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(100);
    given.aWaitingTask().ofType(type).ofUser("rare").create();
    for (TaskFamily family : families.all(RECENT)) {
      family.readable().forEach(this::analyze); // those of tests before this one, too
    }
    // a look into a table's index that finds nothing is two reads on MySQL
    assertThat(rowsReadBy(() -> queries.listOfUser("rare", Set.of(), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(tables() * 3 + 20);
    assertThat(rowsReadBy(() -> queries.listOfUser("somebody", Set.of(), 10, null, Names.ALL)))
        .isLessThanOrEqualTo(tables() * 12 + 20);
  }

  /** Of all types: tests before this one have made some, too. */
  private int tables() {
    int count = 0;
    for (TaskFamily family : families.all(RECENT)) {
      count += family.readable().size();
    }
    return count;
  }

  @Test
  void lanesOfOtherWorkersCostAClaimNothing() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).forWorkers("plan-w").create();
    given.copies(model, 1, 5_000, "status = 1, lane = CONCAT('ff', LPAD(1 + id % 1000, 14, '0'))");
    given.copies(model, 10_000, 5_000, "status = 1, lane = ''");
    TaskTable many = model.table();
    analyze(many);
    List<Source> places = List.of(new Source(many, "first"), new Source(many, "second"));
    assertThat(laneHeads.heads(places, asking(List.of("plan-w"))).heads().keySet())
        .containsExactly(new Source(many, "first", given.row(model).lane()));
    assertThat(rowsReadBy(() -> laneHeads.heads(places, asking(List.of("plan-w")))))
        .isLessThanOrEqualTo(40);
    String lane = given.row(model).lane();
    Range mine = Range.whole(new Source(many, "first", lane));
    Range open = Range.whole(new Source(many, "first"));
    assertThat(rowsReadBy(() -> claims.lockDue(mine, 10))).isLessThanOrEqualTo(3);
    assertThat(locksTakenBy(() -> claims.lockDue(mine, 10))).isLessThanOrEqualTo(3);
    assertThat(rowsReadBy(() -> claims.lockDue(open, 10))).isBetween(10L, 11L);
    assertThat(dueStore.next(List.of(new Source(many, "first", lane))).values())
        .extracting(head -> head.source().stage())
        .containsExactly("first");
    assertThat(rowsReadBy(() -> dueStore.next(List.of(new Source(many, "first", lane)))))
        .isLessThanOrEqualTo(3);
  }

  @Test
  void lanesOfManyWorkersCostAStepEach() {
    TaskType lark = given.aType().create();
    String mine = lark.name() + "-300";
    TaskTable of = given.aWaitingTask().ofType(lark).forWorkers(mine).create().table();
    List<String> workers = new ArrayList<>(List.of(mine));
    List<Object[]> lanes = new ArrayList<>();
    for (int worker = 0; worker < 300; worker++) {
      workers.add(lark.name() + "-" + worker);
      for (int i = 0; i < 5; i++) { // 60 lanes of 25 workers
        String lane =
            String.format(
                Locale.ROOT, "%014x%02d", lark.hashCode() & 0xffffffffL, (worker + i) % 60);
        lanes.add(new Object[] {workers.get(worker + 1), lane});
      }
    }
    batch.batchUpdate("INSERT INTO t_lane_worker VALUES (?, ?)", lanes);
    List<Source> places = List.of(new Source(of, "first"), new Source(of, "second"));
    assertThat(laneHeads.heads(places, asking(workers)).heads()).hasSize(1);
    assertThat(laneHeads.heads(places, asking(workers)).isCut()).isFalse();
    // 1,501 rows of 301 workers, grouped to 61 lanes in temporary tables, two steps a lane
    assertThat(rowsReadBy(() -> laneHeads.heads(places, asking(workers))))
        .isLessThanOrEqualTo(4_000);
    // and the lanes are cut before the steps
    assertThat(laneHeads.heads(places, asking(workers), 100).isCut()).isTrue();
    long steps = rowsReadBy(() -> laneHeads.heads(places, asking(workers), 122));
    assertThat(rowsReadBy(() -> laneHeads.heads(places, asking(workers), 20)))
        .isLessThan(steps - 50);
    await()
        .untilAsserted( // each look reads others, so none waits for ever
            () -> assertThat(laneHeads.heads(places, asking(workers), 60).heads()).hasSize(1));
  }

  @Test
  void lanesAreNotCutBecauseTheyHaveTasksInManyStages() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).inStage("s0").forWorkers("many-w").create();
    List<Object[]> lanes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      lanes.add(new Object[] {"many-w", String.format(Locale.ROOT, "feed%012d", i)});
    }
    batch.batchUpdate("INSERT INTO t_lane_worker VALUES (?, ?)", lanes);
    given.copies(
        model,
        1,
        1_000,
        "status = 1, task_stage = CONCAT('s', id % 50), lane = CONCAT('feed', LPAD(id DIV 50 % 20,"
            + " 12, '0'))");
    List<Source> places =
        IntStream.range(0, 50).mapToObj(i -> new Source(model.table(), "s" + i)).toList();
    LaneHeads found = laneHeads.heads(places, asking(List.of("many-w")));
    assertThat(found.heads()).hasSizeGreaterThanOrEqualTo(1_000);
    assertThat(found.isCut()).isFalse();
  }

  /** Workers that take any stage. */
  private static Map<String, Set<String>> asking(List<String> workers) {
    return workers.stream().distinct().collect(toMap(worker -> worker, worker -> Set.of()));
  }

  @Test
  void noClaimSortsARow() {
    Map<String, Object> look =
        jdbc.sql("EXPLAIN " + DueStore.HEAD_OF_SOURCE.of(table))
            .params("mine", Long.MIN_VALUE, 10)
            .query()
            .singleRow();
    Map<String, Object> lock =
        jdbc.sql("EXPLAIN " + ClaimStore.LOCK_DUE.of(table))
            .param("stage", "mine")
            .param("from", 5)
            .param("limit", 10)
            .query()
            .singleRow();
    Map<String, Object> lockOfLane =
        jdbc.sql("EXPLAIN " + ClaimStore.LOCK_DUE_OF_LANE.of(table))
            .param("stage", "mine")
            .param("lane", "0123456789abcdef")
            .param("from", 5)
            .param("limit", 10)
            .query()
            .singleRow();
    Map<String, Object> next =
        jdbc.sql("EXPLAIN " + DueStore.NEXT.of(table))
            .params(1, "mine", "mine", "0123456789abcdef")
            .query()
            .singleRow();
    assertThat(List.of(look, lock, lockOfLane, next))
        .allSatisfy(
            plan -> {
              assertThat(plan.get("key")).isEqualTo("idx_claim");
              assertThat(String.valueOf(plan.get("Extra"))).doesNotContain("filesort", "temporary");
            });
  }

  private static List<TaskId> idsOf(List<TaskRow> rows) {
    return rows.stream().map(TaskRow::id).toList();
  }

  private List<TaskTransition> changesOf(TaskTable of, List<Long> numbers) {
    return numbers.stream()
        .map(number -> given.row(new TaskId(number, of)))
        .map(
            row ->
                new TaskTransition(
                    row,
                    row.held("w", "t".repeat(32), row.now(), row.now() + 1_000),
                    EventKind.HELD,
                    null))
        .toList();
  }

  private TaskTypeConfig config() {
    return types.require(type);
  }

  private Supplier<?> beatsOf(TaskTable of, String worker, List<Long> numbers) {
    List<ParsedBeat> beats =
        numbers.stream()
            .map(n -> ParsedBeat.of(new HeldTask(new TaskId(n, of).toString(), 1, 10)))
            .toList();
    return () -> {
      renewals.renew(of, beats, worker, config());
      return null;
    };
  }

  private static ParsedReport releaseOf(TaskTable table, long number) {
    String id = new TaskId(number, table).toString();
    return ParsedReport.of(Report.of(id, "worker", 1, Outcome.RELEASE));
  }

  private static Comparator<TaskId> byNumber() {
    return Comparator.comparingLong(TaskId::number);
  }

  /** How many rows of tables and indexes the statements of this work read; it is rolled back. */
  private long rowsReadBy(Supplier<?> work) {
    return transaction.execute(
        status -> {
          status.setRollbackOnly();
          work.get(); // once before, so that what is read to look up types and plans is not counted
          long before = rowsRead(jdbc);
          work.get();
          return rowsRead(jdbc) - before;
        });
  }

  private static long rowsRead(JdbcClient connection) {
    Map<String, Long> counters = new TreeMap<>();
    connection
        .sql("SHOW SESSION STATUS LIKE 'Handler_read%'")
        .query(
            rs -> {
              counters.put(rs.getString(1), rs.getLong(2));
            });
    // rnd_next also counts derived tables of a handful of rows, and on MySQL the answer of SHOW
    return counters.get("Handler_read_next")
        + counters.get("Handler_read_prev")
        + counters.get("Handler_read_key")
        + counters.get("Handler_read_first")
        + counters.get("Handler_read_last")
        + counters.get("Handler_read_rnd");
  }

  /** How many records of tables and indexes this work locks; it is rolled back. */
  private long locksTakenBy(Supplier<?> work) {
    return transaction.execute(
        status -> {
          status.setRollbackOnly();
          work.get();
          return locksTaken(jdbc);
        });
  }

  private static long locksTaken(JdbcClient connection) {
    connection.sql("SELECT SLEEP(0.11)").query(Long.class).single(); // it is cached for 0.1 s
    return connection
        .sql(
            "SELECT trx_rows_locked FROM information_schema.innodb_trx"
                + " WHERE trx_mysql_thread_id = CONNECTION_ID()")
        .query(Long.class)
        .single();
  }

  private static <T> T onAnotherConnection(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, OtherThread::start).join();
  }
}
