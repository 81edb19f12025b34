package io.asyncflow.flowsvr.operate.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Task;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.FailureGroup;
import io.asyncflow.api.stats.FailurePage;
import io.asyncflow.api.stats.FailureRequest;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Overview.Problem;
import io.asyncflow.api.stats.Overview.TypeNumbers;
import io.asyncflow.api.stats.Series;
import io.asyncflow.api.stats.SeriesRequest;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.api.stats.StatsClient;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Numbers of real tasks, as clients get them. What is counted is written within ten seconds. */
@UnsweptServer
@Tag("contract")
class StatsIT {

  private static final Duration WRITTEN = Duration.ofSeconds(60);

  /** Of a worker that is in no hurry. */
  private static final String HOLD =
      ", lease_epoch = 1, hold_time = create_time, lease_end = create_time + 86400000";

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired ExpiredLeaseSweep sweep;

  private StatsClient stats;
  private Wire wire;

  @BeforeEach
  void connect() {
    stats = new HttpFlowClient(URI.create("http://127.0.0.1:" + port), null).stats();
    wire = new Wire(port);
  }

  @Test
  void stagesShowTheTasksOfEachStatus() {
    TaskType lark = given.aType().create();
    TaskId oldest = given.aWaitingTask().ofType(lark).dueSince(2, TimeUnit.HOURS).create();
    given.aWaitingTask().ofType(lark).create(3);
    given.aWaitingTask().ofType(lark).dueIn(1, TimeUnit.HOURS).create(2);
    given.aWaitingTask().ofType(lark).inStage("second").create(2);
    for (TaskId held : given.aWaitingTask().ofType(lark).inStage("third").create(5)) {
      int status = new int[] {4, 8, 16, 32, 2}[(int) (held.number() % 5)];
      given.set(held, "status = " + status + (status == 2 ? HOLD : ""));
    }

    StageList list = stats.stages(lark.name());

    assertThat(list.whole()).isTrue();
    StageNumbers first = stage(list, "first");
    assertThat(first.due()).isEqualTo(BoundedCount.exactly(4));
    assertThat(first.later()).isEqualTo(BoundedCount.exactly(2));
    assertThat(first.executing()).isEqualTo(BoundedCount.ZERO);
    assertThat(first.oldestTaskId()).isEqualTo(oldest.toString());
    assertThat(first.oldestDueMs()).isGreaterThanOrEqualTo(TimeUnit.HOURS.toMillis(2) - 1_000);
    assertThat(first.workers()).isZero();
    assertThat(stage(list, "second").due()).isEqualTo(BoundedCount.exactly(2));
    StageNumbers third = stage(list, "third");
    assertThat(third.due()).isEqualTo(BoundedCount.ZERO);
    assertThat(third.oldestDueMs()).isNull();
    long sum =
        third.success().count()
            + third.failed().count()
            + third.cancelled().count()
            + third.paused().count()
            + third.executing().count();
    assertThat(sum).isEqualTo(5);
  }

  @Test
  void tasksOfSomeWorkersAloneAreCountedWithTheOthers() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(2);
    for (int i = 0; i < 70; i++) {
      given.aWaitingTask().ofType(lark).inStage("laned").forWorkers("worker-" + i).create();
    }
    given.aWaitingTask().ofType(lark).inStage("zebra").create(3);

    StageList list = stats.stages(lark.name());

    assertThat(list.whole()).as("64 of 70 lanes").isFalse();
    assertThat(stage(list, "first").due()).isEqualTo(BoundedCount.exactly(2));
    assertThat(stage(list, "laned").due().count()).isEqualTo(64);
    assertThat(stage(list, "zebra").due()).isEqualTo(BoundedCount.exactly(3));
  }

  @Test
  void manyTasksAreEstimatedAndTheOthersHaveALowerBound() {
    TaskType lark = given.aType().create();
    TaskId first = given.aWaitingTask().ofType(lark).dueSince(1, TimeUnit.HOURS).create();
    given.copies(first, 1, 3_000, "status = 1, order_time = order_time + id % 3000");
    given.copies(first, 10_000, 2_000, "status = 8");

    StageNumbers stage = stage(stats.stages(lark.name()), "first");

    assertThat(stage.due().kind()).isEqualTo(BoundedCount.Kind.ABOUT);
    assertThat(stage.due().count()).isBetween(2_250L, 4_050L);
    assertThat(stage.failed()).isEqualTo(BoundedCount.atLeast(1_000));
  }

  @Test
  void headStartOfAPriorityIsNoTimeForWhichATaskHasBeenDue() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).withPriority(3_600).create();

    StageNumbers first = stage(stats.stages(lark.name()), "first");

    assertThat(first.due()).isEqualTo(BoundedCount.exactly(1));
    assertThat(first.oldestDueMs()).isBetween(0L, TimeUnit.MINUTES.toMillis(1));
  }

  @Test
  void overviewShowsEachTypeAndWhatIsWrong() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).dueSince(10, TimeUnit.MINUTES).inStage("merge").create(3);
    TaskType idle = given.aType().create();
    TaskType paused = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(paused).dueSince(10, TimeUnit.MINUTES).create();
    TaskType served = given.aType().create();
    given.aWaitingTask().ofType(served).dueSince(10, TimeUnit.MINUTES).create();
    beat("w-" + served.name(), served.name() + "/first");

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () -> {
              Overview overview = stats.overview();
              TypeNumbers ofLark = type(overview, lark);
              assertThat(ofLark.due()).isEqualTo(BoundedCount.exactly(3));
              assertThat(ofLark.oldestDueMs()).isGreaterThan(9 * 60_000);
              assertThat(ofLark.lastHour().created()).isEqualTo(3);
              assertThat(ofLark.spark()).hasSize(60);
              assertThat(type(overview, idle).due()).isEqualTo(BoundedCount.ZERO);
              assertThat(type(overview, idle).oldestDueMs()).isNull();
              assertThat(type(overview, paused).paused()).isTrue();
              assertThat(type(overview, served).workers()).isEqualTo(1);
              assertThat(problemsOf(overview, lark))
                  .containsExactly(new Problem("NO_WORKER", lark.name(), "merge"));
              assertThat(problemsOf(overview, idle)).isEmpty();
              assertThat(problemsOf(overview, paused)).isEmpty();
              assertThat(problemsOf(overview, served))
                  .containsExactly(new Problem("LATE", served.name(), null));
            });
  }

  @Test
  void limitsOfThousandsAreReachedToo() {
    TaskType full = given.aType().with("max_executing", 1_500).create();
    TaskType almost = given.aType().with("max_executing", 1_501).create();
    for (TaskType type : List.of(full, almost)) {
      TaskId first = given.aWaitingTask().ofType(type).dueSince(10, TimeUnit.MINUTES).create();
      given.copies(first, 1, 1_500, "status = 2, worker_id = 'w'" + HOLD);
      beat("w-" + type.name(), type.name() + "/first");
    }

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () -> {
              Overview overview = stats.overview();
              assertThat(type(overview, full).executing()).isEqualTo(BoundedCount.exactly(1_500));
              assertThat(problemsOf(overview, full))
                  .containsExactly(new Problem("LIMIT", full.name(), null));
              assertThat(problemsOf(overview, almost))
                  .extracting(Problem::code)
                  .containsExactly("LATE");
            });
  }

  @Test
  void allWhoLookAtATypeShareWhatWasRead() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    StageList first = stats.stages(lark.name());
    given.aWaitingTask().ofType(lark).create();

    assertThat(stats.stages(lark.name())).isEqualTo(first);
    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () ->
                assertThat(stage(stats.stages(lark.name()), "first").due())
                    .isEqualTo(BoundedCount.exactly(2)));
  }

  @Test
  void stageThatAWorkerHoldsWithoutAWordOfItselfIsServed() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).dueSince(10, TimeUnit.MINUTES).create(2);
    given.aHold(lark).byAnOldClient().limit(1).now();

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () ->
                assertThat(problemsOf(stats.overview(), lark))
                    .extracting(Problem::code)
                    .containsExactly("LATE"));
  }

  @Test
  void seriesCountsWhatHappened() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).withRetries(3).create(6);
    List<Task> held = given.aHold(lark).limit(5).now();
    given.reportOn(held.get(0)).success("done");
    given.reportOn(held.get(1)).nextStage("second", null, null);
    given.reportOn(held.get(2)).retry("no tape");
    given.reportOn(held.get(3)).fail("no tape at all");
    given.reportOn(held.get(4)).release();
    given.reportOn(held.get(4)).release(); // refused, and not counted

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () -> {
              Series series = stats.series(SeriesRequest.lastHourOf(lark.name()));
              assertThat(sum(series.series().get("created"))).isEqualTo(6);
              assertThat(sum(series.series().get("finished"))).isEqualTo(2);
              assertThat(sum(series.series().get("failed"))).isEqualTo(1);
              assertThat(sum(series.series().get("retried"))).isEqualTo(1);
              assertThat(series.runMs().get("p95").stream().filter(Objects::nonNull)).isNotEmpty();
              assertThat(series.waitMs().get("p50").stream().filter(Objects::nonNull)).isNotEmpty();
            });
    Series second = stats.series(new SeriesRequest(List.of(lark.name()), "second", null, null, 30));
    assertThat(sum(second.series().get("created"))).isZero();
    assertThat(second.runMs().get("p50")).containsOnlyNulls();
    assertThat(second.stepMs()).isEqualTo(120_000);
  }

  @Test
  void headStartOfAPriorityIsNoWait() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).withPriority(100_000).create();
    given.aHold(lark).theTask();

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () -> assertThat(stage(stats.stages(lark.name()), "first").waitMs().n()).isOne());
    assertThat(stage(stats.stages(lark.name()), "first").waitMs().p99()).isLessThan(60_000);
  }

  @Test
  void whatIsBeforeTheFirstStepAndAfterNowIsNotKnown() {
    TaskType lark = given.aType().create();
    long now = stats.meta().now();
    Series series =
        stats.series(
            new SeriesRequest(List.of(lark.name()), null, now - 3_600_000, now + 3_600_000, 120));

    List<Long> created = series.series().get("created");
    assertThat(created.get(0)).isZero();
    assertThat(created.get(created.size() - 1)).isNull();
  }

  @Test
  void failuresThatAreAlikeAreOneGroup() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).withRetries(0).create(4);
    List<Task> held = given.aHold(lark).limit(4).now();
    given.reportOn(held.get(0)).fail("no tape in drive 3");
    given.reportOn(held.get(1)).fail("no tape in drive 77");
    given.reportOn(held.get(2)).retry("no tape in drive 77");
    given.set(TaskId.parse(held.get(3).taskId()).orElseThrow(), "lease_end = 1, beat_time = 0");
    sweep.runOnce();

    await()
        .atMost(WRITTEN)
        .untilAsserted(
            () ->
                assertThat(stats.failures(FailureRequest.ofType(lark.name())).groups())
                    .extracting(FailureGroup::verdict)
                    .containsExactlyInAnyOrder("FAIL", "RETRY", "WORKER_LOST"));
    FailurePage page = stats.failures(FailureRequest.ofType(lark.name()));
    assertThat(page.whole()).isTrue();
    FailureGroup group =
        page.groups().stream()
            .filter(one -> one.verdict().equals("FAIL"))
            .findFirst()
            .orElseThrow();
    assertThat(group.failures()).isEqualTo(2);
    assertThat(group.finals()).isEqualTo(2);
    assertThat(group.sample()).startsWith("no tape in drive");
    assertThat(group.sampleTaskId()).isIn(held.get(0).taskId(), held.get(1).taskId());
    assertThat(group.fingerprint()).matches("[0-9a-f]{16}");
    assertThat(sum(group.spark())).isEqualTo(2);
  }

  @Test
  void failuresComeInPages() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).withRetries(0).create(5);
    List<Task> held = given.aHold(lark).limit(5).now();
    List<String> messages = List.of("alpha", "beta", "gamma", "delta", "epsilon");
    for (int i = 0; i < 5; i++) {
      given.reportOn(held.get(i)).fail(messages.get(i));
    }
    await()
        .atMost(WRITTEN)
        .until(() -> stats.failures(FailureRequest.ofType(lark.name())).groups().size() == 5);

    List<String> seen = new ArrayList<>();
    String cursor = null;
    do {
      FailurePage page =
          stats.failures(new FailureRequest(lark.name(), null, null, null, null, 2, cursor));
      page.groups().forEach(group -> seen.add(group.sample()));
      cursor = page.nextCursor();
    } while (cursor != null);
    assertThat(seen).containsExactlyInAnyOrderElementsOf(messages);
    assertThat(
            stats
                .failures(new FailureRequest(lark.name(), null, "RETRY", null, null, null, null))
                .groups())
        .isEmpty();
  }

  @Test
  void metaTellsWhoCalls() {
    assertThat(stats.meta().principal()).isEqualTo("local");
    assertThat(stats.meta().features()).containsEntry("estimates", true);
    assertThat(stats.meta().limits()).containsEntry("seriesPoints", 500L);
  }

  private void beat(String worker, String stage) {
    wire.post(
        "/api/worker/heartbeat",
        "{'workerId':'%s','startId':'1','worker':{'stages':['%s']},'tasks':[]}"
            .formatted(worker, stage));
  }

  private static StageNumbers stage(StageList list, String name) {
    return list.stages().stream()
        .filter(stage -> stage.taskStage().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static TypeNumbers type(Overview overview, TaskType type) {
    return overview.types().stream()
        .filter(one -> one.taskType().equals(type.name()))
        .findFirst()
        .orElseThrow(AssertionError::new);
  }

  private static List<Problem> problemsOf(Overview overview, TaskType type) {
    return overview.problems().stream()
        .filter(problem -> problem.taskType().equals(type.name()))
        .toList();
  }

  private static long sum(List<Long> values) {
    return values.stream().filter(Objects::nonNull).mapToLong(Long::longValue).sum();
  }
}
