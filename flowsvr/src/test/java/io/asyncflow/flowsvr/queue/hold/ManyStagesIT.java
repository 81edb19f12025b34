package io.asyncflow.flowsvr.queue.hold;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.task.pause.Paused;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Types in which tasks wait for more stages than one look at stages that nobody names sees. */
@UnsweptServer
@Tag("contract")
class ManyStagesIT {

  /** Two looks and a half, in two tables. */
  private static final int A_TABLE = 250;

  @Autowired Given given;
  @Autowired TaskClaimer claimer;

  @Test
  void everyStageIsServedToHoldsThatNameNone() throws Exception {
    TaskType lark = aTypeWithManyStages("order_time = 1000 + id % 7");
    Set<String> got = new HashSet<>();
    while (got.size() < 2 * A_TABLE) {
      List<Task> held = given.aHold(lark).limit(70).waiting(30, SECONDS).get(40, SECONDS);
      assertThat(held).as("something is due").isNotEmpty();
      held.forEach(task -> assertThat(got.add(task.taskId())).isTrue());
    }
    assertThat(given.aHold(lark).now()).isEmpty();
  }

  @Test
  void theOnlyTaskThatIsDueIsFoundWhereverItWaits() throws Exception {
    TaskType lark = aTypeWithManyStages("order_time = order_time + id");
    for (String stage : List.of("s0001", "s0249", "zzz")) {
      TaskId due = given.aWaitingTask().ofType(lark).inStage(stage).create();
      assertThat(given.aHold(lark).waiting(30, SECONDS).get(40, SECONDS))
          .extracting(Task::taskId)
          .containsExactly(due.toString());
    }
    TaskId behindItsBack = given.aWaitingTask().ofType(lark).dueIn(1, HOURS).create();
    given.set(behindItsBack, "task_stage = 'yyy', order_time = 1");
    assertThat(given.aHold(lark).waiting(30, SECONDS).get(40, SECONDS)).hasSize(1);
  }

  @Test
  void holdIsNotToldThatNothingIsDueByWhatWasSeenBeforeItCame() {
    TaskType lark = aTypeWithManyStages("order_time = order_time + id");
    ClaimRequest asking = new ClaimRequest(given.aHold(lark).asRequest(), false, true);
    claimer.claim(lark, List.of(asking), Paused.NOTHING); // for a client that hung up
    given.set(new TaskId(1, new TaskTable(lark, 1)), "order_time = 1");

    ClaimResult<TaskRow> claim;
    do {
      claim = claimer.claim(lark, List.of(asking), Paused.NOTHING);
    } while (claim.rows().get(0).isEmpty() && !claim.complete().get(0));

    assertThat(claim.rows().get(0)).hasSize(1);
  }

  @Test
  void parkedHoldIsWokenByATaskThatBecomesDue() throws Exception {
    TaskType lark = aTypeWithManyStages("order_time = order_time + id");
    CompletableFuture<List<Task>> answer = given.aHold(lark).waiting(30, SECONDS);
    TaskId due = given.aWaitingTask().ofType(lark).inStage("s0003").dueIn(1, SECONDS).create();
    assertThat(answer.get(40, SECONDS)).extracting(Task::taskId).containsExactly(due.toString());
  }

  /** As many in each of two tables, with a task each. */
  private TaskType aTypeWithManyStages(String assignments) {
    TaskType lark = given.aType().create();
    for (int table = 0; table < 2; table++) {
      if (table > 0) {
        given.nextTable(lark);
      }
      TaskId model = given.aWaitingTask().ofType(lark).dueIn(5, HOURS).create();
      given.copies(
          model,
          1 + table * A_TABLE,
          A_TABLE,
          "status = 1, task_stage = CONCAT('s', LPAD(id, 4, '0')), " + assignments);
      given.set(model, "status = 4");
    }
    return lark;
  }
}
