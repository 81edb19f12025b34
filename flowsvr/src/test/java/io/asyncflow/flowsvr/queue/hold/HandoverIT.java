package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.Given.AHold;
import io.asyncflow.flowsvr.Given.AWaitingTask;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.queue.create.CreatedTask;
import io.asyncflow.flowsvr.queue.create.IdempotencyConflictException;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * New tasks that are given to parked holds by the transaction that creates them. What a claim has
 * given was created before it was held.
 */
@UnsweptServer
@Tag("contract")
class HandoverIT {

  @Autowired Given given;
  @Autowired TaskHolds holds;
  @Autowired TaskCreator creator;
  @Autowired TaskQueries queries;
  @Autowired JdbcClient jdbc;

  private final List<CompletableFuture<List<Task>>> parked = new ArrayList<>();

  @AfterEach
  void nothingStaysParked() {
    parked.forEach(answer -> answer.cancel(false));
    assertThat(holds.parked()).isZero();
  }

  private CompletableFuture<List<Task>> park(AHold hold) {
    int before = holds.parked();
    CompletableFuture<List<Task>> answer = hold.waiting(60, SECONDS);
    parked.add(answer);
    assertThat(holds.parked()).isEqualTo(before + 1);
    return answer;
  }

  private AHold aHold(TaskType type, String id) {
    return given.aHold(type).ofStages("speak", "sing").withId(id);
  }

  private AWaitingTask aTask(TaskType type) {
    return given.aWaitingTask().ofType(type).inStage("speak");
  }

  private CreatedTask create(AWaitingTask task) {
    return creator.createWithOutcome(task.asDraft());
  }

  private boolean isBornHeld(TaskId id) {
    return given.row(id).holdTime() == given.row(id).createTime();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a key"})
  void newTaskIsBornHeld(String key) throws Exception {
    TaskType lark = given.aType().create();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h").by("w"));
    AWaitingTask task = aTask(lark).withPriority(3).withContext("{}");
    CreatedTask created = create(key.isEmpty() ? task : task.withKey(key));

    assertThat(answer).as("before the create has returned").isDone();
    Task held = answer.get().get(0);
    TaskRow row = given.row(created.id());
    assertThat(created.outcome()).isEqualTo(CreateOutcome.CREATED);
    assertThat(row.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(row.workerId()).isEqualTo("w");
    assertThat(row.leaseEpoch()).isEqualTo(1);
    assertThat(row.holdTime()).isEqualTo(row.createTime()).isEqualTo(row.modifyTime());
    assertThat(row.orderTime()).isEqualTo(row.holdTime() - 3_000);
    assertThat(row.leaseEnd() - row.holdTime()).isEqualTo(30_000);
    assertThat(held)
        .usingRecursiveComparison()
        .ignoringFields("leaseMs") // what is left of it
        .isEqualTo(queries.get(created.id()));
    assertThat(given.reportOn(held).success("done").stands()).isTrue();
  }

  @Test
  void repeatOfTheHoldGetsTheSameTask() throws Exception {
    TaskType lark = given.aType().create();
    CompletableFuture<List<Task>> lost = park(aHold(lark, "h"));
    TaskId id = create(aTask(lark)).id();
    assertThat(lost.get(10, SECONDS)).hasSize(1);
    Task again = aHold(lark, "h").theTask();
    assertThat(again.taskId()).isEqualTo(id.toString());
    assertThat(again.leaseEpoch()).isEqualTo(1);
    assertThat(aHold(lark, "other").now()).isEmpty();
  }

  /** A claim may still give the new task first: no news has told it of the other. */
  @ParameterizedTest
  @ValueSource(strings = {"speak", "sing"})
  void noTaskIsBornHeldWhileOneIsDue(String stage) throws Exception {
    TaskType lark = given.aType().create();
    TaskId before = given.aWaitingTask().ofType(lark).inStage(stage).dueIn(1, HOURS).create();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h").limit(1));
    given.set(before, "order_time = 1");
    TaskId created = create(aTask(lark).withPriority(3_600)).id();
    assertThat(answer.get(10, SECONDS)).hasSize(1);
    assertThat(isBornHeld(created)).isFalse();
  }

  @Test
  void noTaskIsBornHeldWhileOneIsDueInTheTableThatAnotherServerHasBegun() throws Exception {
    TaskType lark = given.aType().create();
    TaskId waiting = aTask(lark).dueIn(1, HOURS).create();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h").limit(1));
    given.nextTableOfAnotherServer(lark);
    TaskId there = new TaskId(waiting.number(), new TaskTable(lark, 2));
    jdbc.sql(
            "INSERT INTO %s SELECT * FROM %s"
                .formatted(there.table().sqlName(), waiting.table().sqlName()))
        .update();
    given.set(there, "order_time = 1");
    TaskId created = create(aTask(lark)).id();
    assertThat(answer.get(10, SECONDS)).hasSize(1);
    assertThat(isBornHeld(created)).isFalse();
  }

  @Test
  void typeWithLanesIsLeftToClaims() throws Exception {
    TaskType lark = given.aType().create();
    TaskId own = aTask(lark).forWorkers("worker").dueIn(1, HOURS).create();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h").limit(1));
    given.set(own, "order_time = 1");
    TaskId created = create(aTask(lark)).id();
    assertThat(answer.get(20, SECONDS)).extracting(Task::taskId).containsExactly(own.toString());
    assertThat(given.row(created).status()).isEqualTo(TaskStatus.WAITING);
  }

  /** More tasks than holds have room for: some of one statement are held, the others wait. */
  @Test
  void tasksOfABatchAreSharedByTheLine() throws Exception {
    TaskType lark = given.aType().create();
    for (int i = 0; i < 5; i++) {
      park(aHold(lark, "h" + i).limit(2));
    }
    List<CreatedTask> created = AtOnce.from(30, i -> create(aTask(lark).withPriority(i)));
    List<String> held = new ArrayList<>();
    for (CompletableFuture<List<Task>> answer : parked) {
      answer.get(10, SECONDS).forEach(task -> held.add(task.taskId()));
    }
    assertThat(created).anyMatch(task -> isBornHeld(task.id()));
    for (List<Task> rest = aHold(lark, "rest").now();
        !rest.isEmpty();
        rest = aHold(lark, "rest" + held.size()).now()) {
      rest.forEach(task -> held.add(task.taskId()));
    }
    assertThat(held)
        .containsExactlyInAnyOrderElementsOf(
            created.stream().map(task -> task.id().toString()).toList());
  }

  @Test
  void bodyThatReplacesTheOneBeforeInABatchIsHeld() throws Exception {
    TaskType lark = given.aType().create();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h"));
    List<CreatedTask> created =
        AtOnce.from(
            8,
            i ->
                create(
                    aTask(lark)
                        .withKey("k", OnDuplicate.REPLACE)
                        .withContext("{\"body\":" + i + "}")));
    assertThat(created.stream().map(CreatedTask::id).distinct()).hasSize(1);
    Task task = answer.get(10, SECONDS).get(0);
    assertThat(task.taskContext()).isEqualTo(given.row(task).context());
    assertThat(aHold(lark, "other").now()).isEmpty();
  }

  @Test
  void createThatIsRefusedLeavesTheHoldParked() throws Exception {
    TaskType lark = given.aType().create();
    create(aTask(lark).withKey("k").withContext("{}"));
    aHold(lark, "first").theTask();
    CompletableFuture<List<Task>> second = park(aHold(lark, "h2"));
    assertThatThrownBy(() -> create(aTask(lark).withKey("k").withContext("[]")))
        .isInstanceOf(IdempotencyConflictException.class);
    assertThat(second).isNotDone();
    TaskId id = create(aTask(lark)).id();
    assertThat(second.get(10, SECONDS)).extracting(Task::taskId).containsExactly(id.toString());
  }

  @Test
  void holdThatAnotherServerHasServedGetsWhatItGotThere() throws Exception {
    TaskType lark = given.aType().create();
    aTask(lark).create();
    Task there = aHold(lark, "h").theTask();
    jdbc.sql("UPDATE t_hold SET hold_id = 'served' WHERE task_type = :type")
        .param("type", lark.name())
        .update();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "served"));
    TaskId created = create(aTask(lark)).id();
    assertThat(answer.get(10, SECONDS)).extracting(Task::taskId).containsExactly(there.taskId());
    assertThat(given.row(created).status()).isEqualTo(TaskStatus.WAITING);
  }

  @Test
  void keyThatStandsForATaskGivesTheHoldNothing() throws Exception {
    TaskType lark = given.aType().create();
    TaskId first = create(aTask(lark).withKey("k")).id();
    aHold(lark, "first").theTask();
    CompletableFuture<List<Task>> answer = park(aHold(lark, "h"));
    assertThat(create(aTask(lark).withKey("k")).id()).isEqualTo(first);
    assertThat(answer).isNotDone();
    assertThat(holds.parked()).isEqualTo(1);
  }
}
