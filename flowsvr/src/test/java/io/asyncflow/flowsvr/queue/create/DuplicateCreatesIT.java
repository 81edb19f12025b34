package io.asyncflow.flowsvr.queue.create;

import static io.asyncflow.api.CreateOutcome.CREATED;
import static io.asyncflow.api.CreateOutcome.EXISTING;
import static io.asyncflow.api.CreateOutcome.KEPT;
import static io.asyncflow.api.CreateOutcome.REPLACED;
import static io.asyncflow.api.CreateOutcome.RERUN;
import static io.asyncflow.flowsvr.task.row.TaskDrafts.withFire;
import static io.asyncflow.flowsvr.task.row.TaskDrafts.withKeyOptions;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.row.KeyOptions;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What creates do with the task that stands under their key. */
@UnsweptServer
@Tag("contract")
class DuplicateCreatesIT {

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @Autowired JdbcClient jdbc;
  private TaskType type;

  @BeforeEach
  void aType() {
    type = given.aType().create();
  }

  private TaskDraft aTask(String context, OnDuplicate onDuplicate) {
    return given
        .aWaitingTask()
        .ofType(type)
        .withContext(context)
        .withKey("k", onDuplicate)
        .asDraft();
  }

  private TaskDraft untilDone(String context, OnDuplicate onDuplicate) {
    return withKeyOptions(aTask(context, onDuplicate), new KeyOptions(onDuplicate, null, true));
  }

  private CreatedTask create(TaskDraft task) {
    return creator.createWithOutcome(task);
  }

  private TaskId standing(String context) {
    return create(aTask(context, OnDuplicate.SAME)).id();
  }

  private void end() {
    given.reportOn(given.aHold(type).theTask()).success("done");
  }

  private long tasks() {
    return jdbc.sql("SELECT COUNT(*) FROM t_%s_task_1".formatted(type.name()))
        .query(Long.class)
        .single();
  }

  private long keyMsLeft() {
    return jdbc.sql("SELECT expire_time FROM t_task_key WHERE task_type = ?")
            .param(type.name())
            .query(Long.class)
            .single()
        - System.currentTimeMillis();
  }

  /** Moves begin past the first table, whose tasks must be final. */
  private void drainFirstTable() {
    given.nextTable(type);
    jdbc.sql("UPDATE t_task_table SET drain_time = 1 WHERE task_type = ? AND table_number = 1")
        .param(type.name())
        .update();
  }

  @Test
  void theOutcomeSaysWhetherThereIsANewTask() {
    CreatedTask first = create(aTask("a", OnDuplicate.SAME));
    assertThat(first.outcome()).isEqualTo(CREATED);
    assertThat(create(aTask("a", OnDuplicate.SAME)))
        .isEqualTo(new CreatedTask(first.id(), EXISTING));
    assertThat(create(given.aWaitingTask().ofType(type).asDraft()).outcome()).isEqualTo(CREATED);
  }

  @Test
  void keepReturnsWhatStandsWhateverItsBody() {
    TaskId id = standing("a");
    assertThat(create(aTask("b", OnDuplicate.KEEP))).isEqualTo(new CreatedTask(id, KEPT));
    assertThat(given.row(id).context()).isEqualTo("a");
    end();
    assertThat(create(aTask("b", OnDuplicate.KEEP))).isEqualTo(new CreatedTask(id, KEPT));
  }

  @Test
  void keyOfATaskOfAUserThatIsNotSeenIsRefusedWhateverIsAsked() {
    TaskDraft ofAdam = given.aWaitingTask().ofType(type).ofUser("adam").withKey("k").asDraft();
    TaskId id = create(ofAdam).id();
    Names eva = Names.of(List.of("eva"));
    for (OnDuplicate asked : OnDuplicate.values()) {
      TaskDraft task =
          given.aWaitingTask().ofType(type).ofUser("eva").withKey("k", asked).asDraft();
      CreateCall call = CreateCall.of(List.of(task));
      assertThatThrownBy(() -> creator.create(call.seenBy(eva)))
          .as("%s", asked)
          .isInstanceOf(IdempotencyConflictException.class);
    }
    assertThat(given.row(id).userId()).isEqualTo("adam");
    CreateCall again = CreateCall.of(List.of(ofAdam));
    assertThat(creator.create(again.seenBy(Names.of(List.of("ad*"))))).containsExactly(id);

    jdbc.sql("DELETE FROM t_%s_task_1".formatted(type.name())).update();
    assertThat(creator.create(again.seenBy(eva))).as("the task is gone").containsExactly(id);
  }

  @Test
  void replaceGivesAWaitingTaskTheWholeNewBody() {
    TaskId id = standing("a");
    TaskDraft body =
        given
            .aWaitingTask()
            .ofType(type)
            .ofUser("another")
            .inStage("second")
            .withContext("b")
            .withPriority(7)
            .withRetries(5)
            .withRetryCap(6)
            .dueIn(1, TimeUnit.HOURS)
            .withKey("k", OnDuplicate.REPLACE)
            .asDraft();

    assertThat(create(body)).isEqualTo(new CreatedTask(id, REPLACED));

    TaskRow row = given.row(id);
    assertThat(row.userId()).isEqualTo("another");
    assertThat(row.stage()).isEqualTo("second");
    assertThat(row.context()).isEqualTo("b");
    assertThat(row.priority()).isEqualTo(7);
    assertThat(row.maxRetryNum()).isEqualTo(5);
    assertThat(row.maxRetryInterval()).isEqualTo(6);
    assertThat(row.orderTime() - row.modifyTime() - 3_600_000)
        .as("from the lock of the row on")
        .isBetween(-2_000L, 0L);
    assertThat(tasks()).isEqualTo(1);
    assertThat(create(withKeyOptions(body, KeyOptions.PLAIN)).outcome()).isEqualTo(EXISTING);
    assertThatThrownBy(() -> create(aTask("a", OnDuplicate.SAME)))
        .isInstanceOf(IdempotencyConflictException.class);
  }

  @Test
  void replaceLeavesATaskAloneThatHasBegunOrEnded() {
    TaskId id = standing("a");
    Task held = given.aHold(type).theTask();
    assertThat(create(aTask("b", OnDuplicate.REPLACE))).isEqualTo(new CreatedTask(id, KEPT));
    given.reportOn(held).success("done");
    assertThat(create(aTask("b", OnDuplicate.REPLACE))).isEqualTo(new CreatedTask(id, KEPT));
    assertThat(given.row(id).context()).isEqualTo("a");
  }

  @Test
  void lateReportOfTheOldBodyDoesNotEndAReplacedTask() {
    TaskId id = standing("a");
    Task held = given.aHold(type).theTask();
    given.set(id, "status = 1, crt_retry_num = 2, delivery_count = 1"); // as a sweep does

    assertThat(create(aTask("b", OnDuplicate.REPLACE)).outcome()).isEqualTo(REPLACED);

    assertThat(given.reportOn(held).success("old").code()).isEqualTo(8050);
    TaskRow row = given.row(id);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.deliveryCount()).isZero();
    assertThat(given.aHold(type).theTask().taskContext()).isEqualTo("b");
  }

  @Test
  void rerunLetsAFinalTaskWaitAgainWithTheNewBody() {
    TaskId id = standing("a");
    assertThat(create(aTask("b", OnDuplicate.RERUN))).isEqualTo(new CreatedTask(id, KEPT));
    Task held = given.aHold(type).theTask();
    given.reportOn(held).withId("r").success("done");

    assertThat(create(aTask("b", OnDuplicate.RERUN))).isEqualTo(new CreatedTask(id, RERUN));

    TaskRow row = given.row(id);
    assertThat(row.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(row.context()).isEqualTo("b");
    assertThat(row.result()).isNull();
    assertThat(row.scheduleLog()).contains("SUCCESS");
    assertThat(given.reportOn(held).withId("r").success("done").outcome())
        .isEqualTo(Verdict.ALREADY_DONE);
    assertThat(given.aHold(type).theTask().leaseEpoch()).isEqualTo(2);
  }

  @Test
  void rerunOfATaskWhoseTableTakesNoTasksAnyMoreIsANewTask() {
    TaskId id = standing("a");
    end();
    drainFirstTable();

    CreatedTask again = create(aTask("b", OnDuplicate.RERUN));

    assertThat(again.outcome()).isEqualTo(CREATED);
    assertThat(again.id().table()).isEqualTo(new TaskTable(type, 2));
    assertThat(given.row(id).status()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(create(aTask("b", OnDuplicate.RERUN))).isEqualTo(new CreatedTask(again.id(), KEPT));
  }

  @Test
  void taskOfADroppedTableIsKeptAndOnlyARerunCreatesAnother() {
    TaskId id = standing("a");
    jdbc.sql("UPDATE t_task_key SET table_number = 99, task_number = 1 WHERE task_type = ?")
        .param(type.name())
        .update(); // a table that cannot be read
    TaskId gone = new TaskId(1, new TaskTable(type, 99));

    assertThat(create(aTask("a", OnDuplicate.SAME))).isEqualTo(new CreatedTask(gone, EXISTING));
    assertThat(create(aTask("b", OnDuplicate.KEEP))).isEqualTo(new CreatedTask(gone, KEPT));
    assertThat(create(aTask("b", OnDuplicate.REPLACE))).isEqualTo(new CreatedTask(gone, KEPT));
    CreatedTask again = create(aTask("b", OnDuplicate.RERUN));
    assertThat(again.outcome()).isEqualTo(CREATED);
    assertThat(again.id()).isNotEqualTo(id);
  }

  @Test
  void keyOfAFinalTaskIsFreeIfTheCreateSaysSo() {
    TaskId id = standing("a");
    assertThat(create(untilDone("a", OnDuplicate.SAME))).isEqualTo(new CreatedTask(id, EXISTING));
    assertThat(create(untilDone("b", OnDuplicate.KEEP))).isEqualTo(new CreatedTask(id, KEPT));
    end();

    CreatedTask next = create(untilDone("b", OnDuplicate.KEEP));

    assertThat(next.outcome()).isEqualTo(CREATED);
    assertThat(next.id()).isNotEqualTo(id);
    assertThat(create(untilDone("c", OnDuplicate.REPLACE)))
        .isEqualTo(new CreatedTask(next.id(), REPLACED));
    assertThat(given.row(next.id()).context()).isEqualTo("c");
    assertThat(create(aTask("c", OnDuplicate.SAME)).id()).isEqualTo(next.id());
  }

  @Test
  void keyIsRememberedAsLongAsItsCreateSaysAndAnewAfterEachWrite() {
    create(
        withKeyOptions(
            aTask("a", OnDuplicate.SAME), new KeyOptions(OnDuplicate.SAME, 60_000L, false)));
    assertThat(keyMsLeft()).isBetween(30_000L, 61_000L);
    create(aTask("b", OnDuplicate.KEEP));
    assertThat(keyMsLeft()).isBetween(30_000L, 61_000L);
    create(aTask("b", OnDuplicate.REPLACE));
    assertThat(keyMsLeft()).isGreaterThan(6 * 86_400_000L);
  }

  @Test
  void createsOfOneCallActOneAfterAnother() {
    List<CreatedTask> created =
        creator.createWithOutcome(
            CreateCall.of(
                List.of(
                    aTask("a", OnDuplicate.SAME),
                    given.aWaitingTask().ofType(type).asDraft(),
                    aTask("b", OnDuplicate.REPLACE),
                    aTask("c", OnDuplicate.KEEP),
                    aTask("d", OnDuplicate.REPLACE),
                    aTask("e", OnDuplicate.RERUN))));

    assertThat(created)
        .extracting(CreatedTask::outcome)
        .containsExactly(CREATED, CREATED, REPLACED, KEPT, REPLACED, KEPT);
    TaskId id = created.get(0).id();
    assertThat(created.get(5).id()).isEqualTo(id);
    assertThat(given.row(id).context()).isEqualTo("d");
    assertThat(tasks()).isEqualTo(2);

    given.aHold(type).limit(2).now().forEach(task -> given.reportOn(task).success(""));
    assertThat(
            creator.createWithOutcome(
                CreateCall.of(
                    List.of(aTask("f", OnDuplicate.RERUN), aTask("g", OnDuplicate.REPLACE)))))
        .containsExactly(new CreatedTask(id, RERUN), new CreatedTask(id, REPLACED));
    assertThat(given.row(id).context()).isEqualTo("g");
  }

  private TaskDraft aTaskFor(OnDuplicate onDuplicate, String... workers) {
    return given
        .aWaitingTask()
        .ofType(type)
        .withKey("k", onDuplicate)
        .forWorkers(workers)
        .asDraft();
  }

  private List<String> heldBy(String worker) {
    return given.aHold(type).by(worker).now().stream().map(Task::taskId).toList();
  }

  @Test
  void taskWithAKeyIsHeldByItsWorkersAlone() {
    TaskId id = create(aTaskFor(OnDuplicate.SAME, "w2", "w3")).id();
    assertThat(create(aTaskFor(OnDuplicate.SAME, "w3", "w2")))
        .isEqualTo(new CreatedTask(id, EXISTING));
    assertThatThrownBy(() -> create(aTaskFor(OnDuplicate.SAME, "w2")))
        .isInstanceOf(IdempotencyConflictException.class);
    assertThatThrownBy(() -> create(aTaskFor(OnDuplicate.SAME)))
        .isInstanceOf(IdempotencyConflictException.class);
    assertThat(create(aTaskFor(OnDuplicate.KEEP, "w1"))).isEqualTo(new CreatedTask(id, KEPT));
    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).containsExactly(id.toString());
  }

  @Test
  void replaceAndRerunGiveTheTaskTheWorkersOfTheNewBody() {
    TaskId id = create(aTaskFor(OnDuplicate.SAME)).id();
    create(aTaskFor(OnDuplicate.REPLACE, "w2"));
    assertThat(heldBy("w1")).isEmpty();
    create(aTaskFor(OnDuplicate.REPLACE, "w3"));
    assertThat(heldBy("w2")).isEmpty();
    create(aTaskFor(OnDuplicate.REPLACE));
    Task held = given.aHold(type).by("w1").theTask();
    given.reportOn(held).success("");

    assertThat(create(aTaskFor(OnDuplicate.RERUN, "w2"))).isEqualTo(new CreatedTask(id, RERUN));

    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).containsExactly(id.toString());
  }

  @Test
  void replaceWithinACallGivesTheNewTaskItsWorkers() {
    creator.create(
        CreateCall.of(
            List.of(aTaskFor(OnDuplicate.SAME, "w1"), aTaskFor(OnDuplicate.REPLACE, "w2"))));
    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).hasSize(1);
  }

  @Test
  void laneOfAReplacedTaskIsKeptAsLongAsItsOwnTable() {
    TaskId id = create(aTaskFor(OnDuplicate.SAME)).id();
    given.nextTable(type);

    create(aTaskFor(OnDuplicate.REPLACE, "w2"));

    assertThat(
            jdbc.sql(
                    "SELECT table_number FROM t_lane_table WHERE task_type = ? ORDER BY"
                        + " table_number")
                .param(type.name())
                .query(Integer.class)
                .list())
        .contains(id.table().number());
    assertThat(heldBy("w1")).isEmpty();
    assertThat(heldBy("w2")).containsExactly(id.toString());
  }

  @Test
  void rerunOfTheTaskOfAFireIsToldToTheLedgers() {
    TaskDraft fired = withFire(aTask("a", OnDuplicate.SAME), new FireId(7, 1_000));
    TaskId id = create(fired).id();
    end();
    assertThat(create(aTask("b", OnDuplicate.RERUN))).isEqualTo(new CreatedTask(id, RERUN));
    assertThat(given.row(id).fire()).isEqualTo(new FireId(7, 1_000));
  }

  @Test
  void fiftyCreatorsOfAKeyMakeOneLiveTaskWhileWorkersHoldIt() {
    List<Integer> runs =
        AtOnce.from(
            50,
            i -> {
              OnDuplicate onDuplicate = i % 2 == 0 ? OnDuplicate.REPLACE : OnDuplicate.RERUN;
              create(untilDone("c" + i, onDuplicate));
              int ended = 0;
              for (Task task : given.aHold(type).now()) {
                ended += given.reportOn(task).success(task.taskContext()).stands() ? 1 : 0;
              }
              return ended;
            });

    List<Task> live = given.aHold(type).limit(100).now();
    assertThat(live).hasSizeLessThanOrEqualTo(1);
    live.forEach(task -> given.reportOn(task).success(task.taskContext()));
    assertThat(runs.stream().mapToInt(Integer::intValue).sum()).isPositive();
    List<String> contexts =
        jdbc.sql("SELECT CONCAT(task_context, '=', result) FROM t_%s_task_1".formatted(type.name()))
            .query(String.class)
            .list();
    // Each run reports the body that the row has: no run ended with the body of another.
    assertThat(contexts)
        .allSatisfy(pair -> assertThat(pair.split("=")[0]).isEqualTo(pair.split("=")[1]));
  }

  @Test
  void manyKeysAreReplacedByOneCall() {
    List<CreatedTask> first = creator.createWithOutcome(CreateCall.of(aHundred("a")));

    List<CreatedTask> again = creator.createWithOutcome(CreateCall.of(aHundred("b")));

    assertThat(again).extracting(CreatedTask::outcome).containsOnly(REPLACED);
    assertThat(again.stream().map(CreatedTask::id))
        .containsExactlyElementsOf(first.stream().map(CreatedTask::id).toList());
    assertThat(creator.createWithOutcome(CreateCall.of(aHundred("b"))))
        .extracting(CreatedTask::outcome)
        .containsOnly(REPLACED);
    assertThat(given.row(again.get(57).id()).context()).isEqualTo("b");
  }

  private List<TaskDraft> aHundred(String context) {
    return IntStream.range(0, 100)
        .mapToObj(
            i ->
                given
                    .aWaitingTask()
                    .ofType(type)
                    .withContext(context)
                    .withKey("k" + i, OnDuplicate.REPLACE)
                    .asDraft())
        .toList();
  }

  @Test
  void fiftyCreatorsReplaceOneWaitingTask() {
    List<CreatedTask> created = AtOnce.from(50, i -> create(aTask("c" + i, OnDuplicate.REPLACE)));

    assertThat(created).extracting(CreatedTask::id).containsOnly(created.get(0).id());
    assertThat(created).filteredOn(one -> one.outcome() == CREATED).hasSize(1);
    assertThat(created).filteredOn(one -> one.outcome() == REPLACED).hasSize(49);
    assertThat(tasks()).isEqualTo(1);
  }
}
