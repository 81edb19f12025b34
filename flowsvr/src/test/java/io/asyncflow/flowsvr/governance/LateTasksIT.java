package io.asyncflow.flowsvr.governance;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.due.DueWork;
import io.asyncflow.flowsvr.pause.PausesInForce;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@UnsweptServer
@Tag("contract")
class LateTasksIT {

  @Autowired Given given;
  @Autowired TaskTypes types;
  @Autowired PausesInForce pauses;
  @Autowired TaskFamilies families;
  @Autowired DueWork dueWork;

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicBoolean leads = new AtomicBoolean(true);
  private LateTasks lateTasks;

  @BeforeEach
  void lateTasksOfTheTest() {
    lateTasks = lateTasksOf(families);
  }

  /** Tasks that other tests have left become late one by one. */
  private LateTasks lateTasksOfNothingBut(TaskType type) {
    TaskFamilies only = mock();
    when(only.allWithin(any())).thenReturn(List.of(families.of(type)));
    meters.clear();
    return lateTasksOf(only);
  }

  private LateTasks lateTasksOf(TaskFamilies looked) {
    return new LateTasks(types, looked, dueWork, pauses, new TaskMeters(meters), leads::get);
  }

  @Test
  void workThatIsLongDueIsLateWhateverItsStageAndTable() {
    TaskType late = given.aType().create();
    given.aWaitingTask().ofType(late).dueIn(1, MINUTES).create();
    given.nextTable(late);
    given.aWaitingTask().ofType(late).inStage("last").dueSince(2, MINUTES).create();

    LateTasks.Result result = lateTasks.runOnce();

    assertThat(lateTasks.lateTypes()).contains(late);
    assertThat(result.hadEffect()).isTrue();
    assertThat(result.lateTypes()).isEqualTo(lateTasks.lateTypes().size());
    assertThat(result.latestMs()).isGreaterThanOrEqualTo(120_000);
    assertThat(meters.get("asyncflow.tasks.late").gauge().value())
        .isEqualTo(result.latestMs() / 1000.0);
  }

  @Test
  void serverThatLeadsNoMoreShowsNothingOfWhatItSaw() {
    given.aWaitingTask().ofType(given.aType().create()).dueSince(2, MINUTES).create();
    lateTasks.runOnce();

    leads.set(false);

    assertThat(meters.get("asyncflow.tasks.late").gauge().value()).isZero();
  }

  @Test
  void workThatIsNotDueOrHasJustBecomeSoOrIsPausedIsNotLate() {
    TaskType unused = given.aType().create();
    families.of(unused);
    TaskType future = given.aType().create();
    given.aWaitingTask().ofType(future).dueIn(1, MINUTES).create();
    TaskType fresh = given.aType().create();
    given.aWaitingTask().ofType(fresh).create();
    TaskType paused = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(paused).dueSince(2, MINUTES).create();

    lateTasks.runOnce();

    assertThat(lateTasks.lateTypes()).doesNotContain(unused, future, fresh, paused);
  }

  @Test
  void tableWithMoreStagesThanARunLooksAtIsLookedAtInTurns() {
    TaskType many = given.aType().create();
    for (int stage = 0; stage < 110; stage++) {
      given.aWaitingTask().ofType(many).inStage("s%03d".formatted(stage)).create();
    }
    given.aWaitingTask().ofType(many).inStage("t").dueSince(2, MINUTES).create();

    lateTasks.runOnce();
    lateTasks.runOnce();
    assertThat(lateTasks.lateTypes()).doesNotContain(many);
    lateTasks.runOnce();
    assertThat(lateTasks.lateTypes()).contains(many);
  }

  @Test
  void lateStageOfManyIsKnownUntilItsNextTurn() {
    TaskType many = given.aType().create();
    for (int stage = 0; stage < 60; stage++) {
      given.aWaitingTask().ofType(many).inStage("s" + stage).dueIn(1, MINUTES).create();
    }
    TaskId late = given.aWaitingTask().ofType(many).inStage("t").dueSince(2, MINUTES).create();
    lateTasks = lateTasksOfNothingBut(many);

    lateTasks.runOnce();
    for (int run = 2; run <= 4; run++) {
      LateTasks.Result result = lateTasks.runOnce();
      assertThat(result.lateTypes()).isEqualTo(1);
      assertThat(result.latestMs()).isGreaterThanOrEqualTo(120_000);
      assertThat(meters.get("asyncflow.tasks.late").gauge().value()).isGreaterThanOrEqualTo(120);
    }

    given.set(late, "status = 4");
    assertThat(lateTasks.runOnce().lateTypes()).as("its turn is the next").isEqualTo(1);
    assertThat(lateTasks.runOnce().lateTypes()).isZero();
  }

  @Test
  void taskThatIsNoMoreIsNotLateAnyMore() {
    TaskType late = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(late).dueSince(2, MINUTES).create();
    lateTasks = lateTasksOfNothingBut(late);
    assertThat(lateTasks.runOnce().lateTypes()).isEqualTo(1);
    assertThat(lateTasks.lateTypes()).containsExactly(late);

    given.set(id, "status = 4");

    assertThat(lateTasks.runOnce().lateTypes()).isZero();
    assertThat(lateTasks.lateTypes()).isEmpty();
  }
}
