package io.asyncflow.flowsvr.task.row;

import static io.asyncflow.flowsvr.task.row.TaskDrafts.withFire;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.queue.create.CreateCall;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What of a task's fire is in its row. */
@RunningServer
@Tag("contract")
class TaskStoreIT {

  private static final FireId FIRST = new FireId(Long.MAX_VALUE, System.currentTimeMillis());
  private static final FireId SECOND = new FireId(8, FIRST.fireTime() + 1);

  @Autowired Given given;
  @Autowired TaskCreator creator;
  @Autowired TaskStore tasks;
  private TaskType lark;

  @BeforeEach
  void aType() {
    lark = given.aType().create();
  }

  private TaskDraft aTask() {
    return given.aWaitingTask().ofType(lark).asDraft();
  }

  private List<FireId> firesOf(List<TaskId> ids) {
    return ids.stream().map(id -> given.row(id).fire()).toList();
  }

  @Test
  void eachTaskOfACallHasItsOwnFireOrNone() {
    List<TaskDraft> call =
        List.of(aTask(), withFire(aTask(), FIRST), withFire(aTask(), SECOND), aTask());
    List<TaskId> ids = creator.create(CreateCall.of(call));
    assertThat(firesOf(ids)).containsExactly(null, FIRST, SECOND, null);
    assertThat(tasks.find(ids.get(0).table(), ids.stream().map(TaskId::number).toList()))
        .extracting(TaskRow::fire)
        .containsExactlyInAnyOrder(null, FIRST, SECOND, null);
    assertThat(given.row(ids.get(1)).place()).isNull();
  }

  @Test
  void callOfSeveralStatementsMayHaveAFireInTheLastOnly() {
    List<TaskDraft> call = new ArrayList<>(Collections.nCopies(150, aTask()));
    call.add(withFire(aTask(), FIRST));
    List<TaskId> ids = creator.create(CreateCall.of(call));
    assertThat(given.row(ids.get(150)).fire()).isEqualTo(FIRST);
    assertThat(given.row(ids.get(149)).fire()).isNull();
  }

  @Test
  void fireIsNoPartOfWhatAKeyStandsFor() {
    TaskDraft task = given.aWaitingTask().ofType(lark).withKey("key").asDraft();
    TaskId id = creator.create(withFire(task, FIRST));
    assertThat(creator.create(withFire(task, SECOND))).isEqualTo(id);
    assertThat(creator.create(task)).isEqualTo(id);
    assertThat(given.row(id).fire()).isEqualTo(FIRST);
  }

  @Test
  void copyIsOfNoFire() {
    TaskId id = creator.create(withFire(aTask(), FIRST));
    TaskId copy = creator.create(TaskDraft.copyOf(given.row(id), null));
    assertThat(given.row(copy).fire()).isNull();
  }
}
