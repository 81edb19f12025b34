package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.queue.claim.ClaimStore;
import io.asyncflow.flowsvr.task.row.AnswerRoom;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Holds that find something at once; {@link ParkedHoldsIT} has those that wait. */
@UnsweptServer
@Tag("contract")
public class TaskHoldsIT {

  @Autowired Given given;
  @Autowired ClaimStore claims;
  @Autowired Duty holdRetentionDuty;
  @Autowired JdbcClient jdbc;

  @Test
  void holdOfLargeTasksIsBoundedByTheirBytesAndLeavesTheRestWaiting() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).dueSince(1, MINUTES).create();
    given.copies(
        model,
        1,
        200,
        "schedule_log = REPEAT('x', 65535), task_context = REPEAT('é', 2048),"
            + " order_time = order_time + id");
    int asMany = AnswerRoom.BYTES / (65_535 + 4_096);

    List<Task> first = given.aHold(lark).limit(1_000).withId("h").now();
    List<String> ids = idsOf(first);
    assertThat(ids).hasSize(1 + asMany).startsWith(model.toString());
    assertThat(first).extracting(Task::orderTime).isSorted();
    assertThat(first.subList(1, first.size()))
        .extracting(task -> task.scheduleLog().equals("x".repeat(65_535)))
        .containsOnly(true);
    assertThat(first.subList(1, first.size()))
        .extracting(task -> task.taskContext().equals("é".repeat(2_048)))
        .containsOnly(true);
    assertThat(idsOf(given.aHold(lark).limit(1_000).withId("h").now()))
        .as("its repeat")
        .isEqualTo(ids);
    assertThat(waitingOf(lark)).isEqualTo(200 - asMany);

    List<String> held = new ArrayList<>(ids);
    for (int i = 0; i < 4 && waitingOf(lark) > 0; i++) {
      List<String> more = idsOf(given.aHold(lark).limit(1_000).now());
      assertThat(more).hasSizeBetween(1, asMany);
      held.addAll(more);
    }
    assertThat(held).hasSize(201).doesNotHaveDuplicates();
  }

  @Test
  void holdsThatAreServedTogetherShareWhatOneAnswerHasRoomFor() {
    TaskType lark = given.aType().create();
    List<CompletableFuture<List<Task>>> parked = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      parked.add(given.aHold(lark).by("w" + i).limit(50).waiting(20, SECONDS));
    }
    TaskId model = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    given.copies(model, 1, 150, "schedule_log = REPEAT('x', 65535), order_time = id");
    given.aWaitingTask().ofType(lark).create(); // tells them

    List<String> held = new ArrayList<>();
    parked.forEach(hold -> held.addAll(idsOf(hold.join())));
    assertThat(held).hasSizeBetween(3, AnswerRoom.BYTES / 65_535 + 1).doesNotHaveDuplicates();
    for (int i = 0; i < 4 && waitingOf(lark) > 1; i++) {
      held.addAll(idsOf(given.aHold(lark).limit(1_000).now()));
    }
    assertThat(held).hasSize(151).doesNotHaveDuplicates();
  }

  private static List<String> idsOf(List<Task> tasks) {
    return tasks.stream().map(Task::taskId).toList();
  }

  private int waitingOf(TaskType type) {
    return jdbc.sql("SELECT COUNT(*) FROM t_%s_task_1 WHERE status = 1".formatted(type.name()))
        .query(Integer.class)
        .single();
  }

  @Test
  void taskIsAnsweredAsItIsAfterTheHold() {
    TaskType lark = given.aType().with("lease_seconds", 20).create();
    TaskId id =
        given.aWaitingTask().ofType(lark).dueSince(1, MINUTES).withContext("{\"n\":1}").create();

    Task task = given.aHold(lark).by("w1").theTask();

    assertThat(task.taskId()).isEqualTo(id.toString());
    assertThat(task.taskType()).isEqualTo(lark.name());
    assertThat(task.status()).isEqualTo(2);
    assertThat(task.leaseEpoch()).isEqualTo(1);
    assertThat(task.leaseMs()).isBetween(15_000L, 20_000L);
    assertThat(task.workerId()).isEqualTo("w1");
    assertThat(task.deliveryCount()).isZero();
    assertThat(task.traceId()).hasSize(32);
    assertThat(task.taskContext()).isEqualTo("{\"n\":1}");
    assertThat(task.maxRetryNum()).isEqualTo(3);
    assertThat(task.maxRetryInterval()).isEqualTo(10);
    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(row.leaseEnd() - row.holdTime()).isEqualTo(20_000);
    assertThat(row.beatTime()).isZero();
    assertThat(row.traceId()).isEqualTo(task.traceId());
  }

  @Test
  void oneHoldHasOneTraceAndAnotherHoldAnother() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(5);
    List<Task> first = given.aHold(lark).limit(3).now();
    List<Task> second = given.aHold(lark).now();
    assertThat(first).hasSize(3);
    assertThat(second).hasSize(2);
    assertThat(first.stream().map(Task::traceId).distinct()).hasSize(1);
    assertThat(second.get(0).traceId()).isNotEqualTo(first.get(0).traceId());
  }

  @Test
  void leaseNeverGoesBeyondTheHardEnd() {
    TaskType lark = given.aType().with("lease_seconds", 30).with("max_processing_time", 8).create();
    given.aWaitingTask().ofType(lark).create();
    assertThat(given.aHold(lark).theTask().leaseMs()).isBetween(5_000L, 8_000L);
  }

  @Test
  void oldClientHasALeaseOfTheWholeProcessingTime() {
    TaskType lark = given.aType().with("lease_seconds", 5).with("max_processing_time", 60).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).byAnOldClient().theTask();
    assertThat(task.leaseMs()).isBetween(55_000L, 60_000L);
    assertThat(task.workerId()).isNull();
    assertThat(task.leaseEpoch()).isEqualTo(1);
  }

  @Test
  void leaseOfAWorkerWithAQueueLastsThroughTheQueueAndAnAttempt() {
    TaskType lark = given.aType().with("lease_seconds", 5).with("max_processing_time", 60).create();
    given.aWaitingTask().ofType(lark).create();
    Task task = given.aHold(lark).byAWorkerWithAQueue(Duration.ofHours(1)).theTask();
    assertThat(task.leaseMs()).isBetween(3_655_000L, 3_660_000L);
  }

  @Test
  void sixteenClientsWithoutAnyLockHoldEachOfAThousandTasksOnce() throws Exception {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(1_000);
    ConcurrentLinkedQueue<Task> held = new ConcurrentLinkedQueue<>();
    CyclicBarrier start = new CyclicBarrier(16);
    inParallel(
        16,
        client -> {
          start.await();
          List<Task> mine;
          do {
            mine = given.aHold(lark).by("client" + client).limit(7).now();
            held.addAll(mine);
          } while (!mine.isEmpty());
        });
    // A client that came away empty may have met only locked tasks: whoever locked them has them.
    assertThat(held).extracting(Task::taskId).doesNotHaveDuplicates();
    assertThat(held)
        .extracting(Task::taskId)
        .containsExactlyInAnyOrderElementsOf(ids.stream().map(TaskId::toString).toList());
    assertThat(held).allMatch(task -> task.leaseEpoch() == 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 50})
  void ofTwoClaimersThatPickedTheSameTasksOneHoldsThem(int tasks) {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(tasks);
    TaskTable table = ids.get(0).table();
    List<TaskRow> picked = ids.stream().map(given::row).toList();

    // as on an engine whose SKIP LOCKED locks nothing: the affected rows decide, not the pick
    assertThat(claims.markHeld(table, changes(picked, "w1"))).isEqualTo(tasks);
    assertThat(claims.markHeld(table, changes(picked, "w2"))).isZero();

    assertThat(ids.stream().map(given::row))
        .allMatch(row -> row.leaseEpoch() == 1 && row.workerId().equals("w1"));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 30})
  void rowThatChangedSinceItWasPickedIsNotHeld(int tasks) {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(tasks);
    List<TaskRow> picked = ids.stream().map(given::row).toList();
    given.set(ids.get(0), "lease_epoch = 1"); // held and handed back meanwhile
    given.set(ids.get(1), "modify_time = modify_time + 60000, task_context = 'another'");
    assertThat(claims.markHeld(ids.get(0).table(), changes(picked, "w1"))).isEqualTo(tasks - 2);
    assertThat(given.row(ids.get(2)).status()).isEqualTo(TaskStatus.EXECUTING);
  }

  @Test
  void holdTakesTasksOfManyEpochsTogether() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(40);
    for (int i = 0; i < 15; i++) {
      given.set(ids.get(i), "lease_epoch = " + Math.max(1, i - 7)); // nine of epoch 1, six others
    }
    List<Task> held = given.aHold(lark).by("w1").limit(40).now();
    assertThat(held).hasSize(40);
    assertThat(held)
        .allSatisfy(
            task -> {
              TaskRow row = given.row(task);
              assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
              assertThat(row.leaseEpoch()).isEqualTo(task.leaseEpoch());
              assertThat(row.workerId()).isEqualTo("w1");
              assertThat(row.traceId()).isEqualTo(task.traceId());
            });
    assertThat(held.stream().mapToInt(Task::leaseEpoch).boxed())
        .containsAll(List.of(1, 2, 3, 4, 5, 6, 7, 8));
  }

  private static List<TaskTransition> changes(List<TaskRow> picked, String worker) {
    String trace = worker.substring(1).repeat(32);
    return picked.stream()
        .map(
            row ->
                new TaskTransition(
                    row,
                    row.held(worker, trace, row.now(), row.now() + 1_000),
                    EventKind.HELD,
                    null))
        .toList();
  }

  @Test
  void tasksOfTwoTablesStagesPrioritiesDelaysAndRetriesComeInDueOrder() {
    TaskType lark = given.aType().with("retry_interval", 0).create();
    List<TaskId> expected = new ArrayList<>();
    TaskId oldest = given.aWaitingTask().ofType(lark).dueSince(3, HOURS).create();
    TaskId third = given.aWaitingTask().ofType(lark).inStage("second").dueSince(1, HOURS).create();
    TaskId hidden = given.aWaitingTask().ofType(lark).dueIn(1, MINUTES).create();
    TaskId retried = given.aWaitingTask().ofType(lark).dueSince(5, HOURS).create();
    given.reportOn(given.aHold(lark).limit(1).theTask()).retry("again, at once"); // due now
    given.nextTable(lark);
    TaskId second = given.aWaitingTask().ofType(lark).withPriority(7_200).create();
    TaskId fourth = given.aWaitingTask().ofType(lark).inStage("third").withPriority(1_800).create();
    TaskId fifth = given.aWaitingTask().ofType(lark).dueSince(20, MINUTES).create();
    TaskId last = given.aWaitingTask().ofType(lark).inStage("second").create();
    expected.addAll(List.of(oldest, second, third, fourth, fifth, retried, last));

    assertThat(oldest.table().number()).isEqualTo(1);
    assertThat(last.table().number()).isEqualTo(2);
    // three at a time: order holds across holds, too
    List<String> got = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      given.aHold(lark).limit(3).now().forEach(task -> got.add(task.taskId()));
    }
    assertThat(got).containsExactlyElementsOf(expected.stream().map(TaskId::toString).toList());
    assertThat(given.row(hidden).status()).isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void equalOrderTimesAreTakenByNumberAcrossTables() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = new ArrayList<>(given.aWaitingTask().ofType(lark).create(3));
    given.nextTable(lark);
    ids.addAll(given.aWaitingTask().ofType(lark).create(3));
    ids.forEach(id -> given.set(id, "order_time = 1000"));
    assertThat(given.aHold(lark).now())
        .extracting(Task::taskId)
        .containsExactlyElementsOf(ids.stream().map(TaskId::toString).toList());
  }

  @Test
  void hundredTasksThatWaitForTheirRetryHideNoneThatIsDue() {
    TaskType lark =
        given.aType().with("retry_interval", 3_600).with("max_retry_interval", 3_600).create();
    given.aWaitingTask().ofType(lark).dueSince(1, HOURS).create(100);
    given.aHold(lark).limit(100).now().forEach(task -> given.reportOn(task).retry("later"));
    TaskId due = given.aWaitingTask().ofType(lark).create();
    assertThat(given.aHold(lark).limit(10).theTask().taskId()).isEqualTo(due.toString());
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void holdOfSomeStagesGetsOnlyTheirTasks() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).inStage("split").dueSince(3, MINUTES).create(2);
    given.aWaitingTask().ofType(lark).inStage("speak").dueSince(2, MINUTES).create(2);
    given.aWaitingTask().ofType(lark).inStage("merge").dueSince(1, MINUTES).create(2);
    assertThat(given.aHold(lark).ofStages("merge", "speak").now())
        .extracting(Task::taskStage)
        .containsExactly("speak", "speak", "merge", "merge");
    assertThat(given.aHold(lark).ofStages("nobody's").now()).isEmpty();
    assertThat(given.aHold(lark).now())
        .extracting(Task::taskStage)
        .containsExactly("split", "split");
  }

  @Test
  void stageMayBeCalledAnything() {
    TaskType lark = given.aType().create();
    String name = "'; DROP TABLE x; -- \\ % _ ? :a {} 阶段 😀";
    TaskId id = given.aWaitingTask().ofType(lark).inStage(name).create();
    assertThat(given.aHold(lark).ofStages(name).theTask().taskId()).isEqualTo(id.toString());
  }

  @Test
  void stagesAreFoundHoweverMany() {
    TaskType lark = given.aType().create();
    for (int i = 0; i < 120; i++) {
      given.aWaitingTask().ofType(lark).inStage("stage" + i).dueSince(1_000 - i, SECONDS).create();
    }
    assertThat(given.aHold(lark).limit(110).now())
        .extracting(Task::taskStage)
        .containsExactlyElementsOf(IntStream.range(0, 110).mapToObj(i -> "stage" + i).toList());
  }

  @Test
  void pausedTypeGivesNothingWhileCreatesGoOn() {
    TaskType lark = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(lark).create(2);
    assertThat(given.aHold(lark).now()).isEmpty();
    given.change(lark, "paused", 0);
    assertThat(given.aHold(lark).now()).hasSize(2);
  }

  @Test
  void holdWithoutALimitTakesAsManyAsTheTypeSays() {
    TaskType lark = given.aType().with("schedule_limit", 3).create();
    given.aWaitingTask().ofType(lark).create(5);
    assertThat(given.aHold(lark).limit(0).now()).hasSize(3);
  }

  @Test
  void typeThatWasNeverUsedGivesNothing() {
    assertThat(given.aHold(given.aType().create()).now()).isEmpty();
  }

  @Test
  void sameHoldIsToldTheSameTasksAsLongAsALeaseOfItLives() {
    TaskType lark = given.aType().create();
    List<TaskId> ids = given.aWaitingTask().ofType(lark).create(3);
    given.nextTable(lark);
    given.aWaitingTask().ofType(lark).create(3);
    List<Task> first = given.aHold(lark).withId("h").limit(5).now();
    List<Task> again = given.aHold(lark).withId("h").limit(5).now();
    assertThat(first).hasSize(5);
    assertThat(again)
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("leaseMs")
        .isEqualTo(first);

    // what it has reported it holds no more
    given.reportOn(first.get(1)).success(null);
    assertThat(given.aHold(lark).withId("h").now())
        .extracting(Task::taskId)
        .containsExactly(
            ids.get(0).toString(),
            ids.get(2).toString(),
            first.get(3).taskId(),
            first.get(4).taskId());
  }

  @Test
  void sameHoldOfAnotherWorkerOrTypeIsAnotherHold() {
    TaskType lark = given.aType().create();
    TaskType tts = given.aType().create();
    given.aWaitingTask().ofType(lark).create(2);
    given.aWaitingTask().ofType(tts).create(1);
    Task mine = given.aHold(lark).by("w1").withId("h").limit(1).theTask();
    Task others = given.aHold(lark).by("w2").withId("h").limit(1).theTask();
    assertThat(others.taskId()).isNotEqualTo(mine.taskId());
    assertThat(given.aHold(tts).by("w1").withId("h").theTask().taskType()).isEqualTo(tts.name());
    assertThat(given.aHold(lark).by("w1").withId("h").theTask().taskId()).isEqualTo(mine.taskId());
  }

  @Test
  void sameHoldClaimsAnewWhenNoneOfItsLeasesLives() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create();
    Task first = given.aHold(lark).withId("h").theTask();
    given.reportOn(first).release();
    Task second = given.aHold(lark).withId("h").theTask();
    assertThat(second.leaseEpoch()).isEqualTo(2);
    assertThat(given.aHold(lark).withId("h").theTask().leaseEpoch()).isEqualTo(2);

    given.letPass(1, HOURS, second); // not swept yet
    assertThat(given.aHold(lark).withId("h").now()).isEmpty();
  }

  @Test
  void emptyHoldIsNotRemembered() {
    TaskType lark = given.aType().create();
    assertThat(given.aHold(lark).withId("h").now()).isEmpty();
    given.aWaitingTask().ofType(lark).create();
    assertThat(given.aHold(lark).withId("h").now()).hasSize(1);
  }

  @Test
  void deliveriesOfOneHoldAtTheSameTimeAreToldTheSameTasks() throws Exception {
    for (int round = 0; round < 10; round++) {
      TaskType lark = given.aType().create();
      given.aWaitingTask().ofType(lark).create(20);
      ConcurrentLinkedQueue<List<Task>> answers = new ConcurrentLinkedQueue<>();
      CyclicBarrier start = new CyclicBarrier(4);
      inParallel(
          4,
          delivery -> {
            start.await();
            answers.add(given.aHold(lark).withId("h").limit(5).now());
          });
      List<String> first = answers.peek().stream().map(Task::taskId).toList();
      assertThat(first).hasSize(5);
      assertThat(answers)
          .allSatisfy(
              answer -> {
                assertThat(answer).extracting(Task::taskId).isEqualTo(first);
                assertThat(answer).allMatch(task -> task.leaseEpoch() == 1);
              });
      assertThat(given.aHold(lark).by("other").limit(100).now()).hasSize(15);
    }
  }

  @Test
  void aHoldIsRememberedForTwoOfItsLeasesHoweverLongItsTasksMayRun() {
    TaskType lark = given.aType().create();
    given.change(lark, "lease_seconds", 30);
    given.change(lark, "max_processing_time", 2_592_000);
    given.aWaitingTask().ofType(lark).create();
    given.aHold(lark).by("w").withId("h").now();

    assertThat(
            jdbc.sql(
                    "SELECT expire_time - %s FROM t_hold WHERE task_type = ?"
                        .formatted(DatabaseClock.NOW_MS))
                .param(lark.name())
                .query(Long.class)
                .single())
        .isBetween(1L, 60_000L);
  }

  @Test
  void holdsAreForgottenWhenNoLeaseOfThemCanLive() {
    TaskType lark = given.aType().create();
    given.aWaitingTask().ofType(lark).create(2);
    given.aHold(lark).by("old").withId("h").limit(1).now();
    given.aHold(lark).by("new").withId("h").limit(1).now();
    jdbc.sql("UPDATE t_hold SET expire_time = 1 WHERE worker_id = 'old' AND task_type = ?")
        .param(lark.name())
        .update();
    assertThat((int) holdRetentionDuty.runOnce().get()).isPositive();
    assertThat(
            jdbc.sql("SELECT worker_id FROM t_hold WHERE task_type = ?")
                .param(lark.name())
                .query(String.class)
                .list())
        .containsExactly("new");
  }

  @Test
  void taskInsertedBySqlIsHeldLikeAnyOther() {
    TaskType lark = given.aType().create();
    TaskId model = given.aWaitingTask().ofType(lark).create();
    jdbc.sql(
            """
            INSERT INTO %s (id, user_id, task_stage, status, order_time, create_time, modify_time,
              task_context, schedule_log)
            VALUES (77, 'sql', 'first', 1, 5, 5, 5, '', '')"""
                .formatted(model.table().sqlName()))
        .update();
    assertThat(given.aHold(lark).limit(1).theTask().taskId())
        .isEqualTo("77_" + lark.name() + "_task_1");
  }

  public interface Work {
    void run(int number) throws Exception;
  }

  public static void inParallel(int threads, Work work) throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      CompletableFuture<Void> done = new CompletableFuture<>();
      all.add(done);
      new Thread(
              () -> {
                try {
                  work.run(number);
                  done.complete(null);
                } catch (Throwable e) {
                  done.completeExceptionally(e);
                }
              })
          .start();
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, SECONDS);
  }
}
