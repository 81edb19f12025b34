package io.asyncflow.flowsvr.governance;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.lease.DueWork;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TaskId;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@UnsweptServer
@Tag("contract")
class FallbackWakeUpIT {

  @Autowired Given given;
  @Autowired TaskTypes types;
  @Autowired TaskFamilies families;
  @Autowired DueWork dueWork;

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<TaskType> woken = new ArrayList<>();
  private final AtomicBoolean leads = new AtomicBoolean(true);
  private FallbackWakeUp wakeUp;

  @BeforeEach
  void wakeUpOfTheTest() {
    wakeUp = wakeUpOf(families);
  }

  /** Tasks that other tests have left become late one by one. */
  private FallbackWakeUp wakeUpOfNothingBut(TaskType type) {
    TaskFamilies only = mock();
    when(only.allWithin(any())).thenReturn(List.of(families.of(type)));
    meters.clear();
    return wakeUpOf(only);
  }

  private FallbackWakeUp wakeUpOf(TaskFamilies looked) {
    return new FallbackWakeUp(
        types,
        looked,
        dueWork,
        new Events(event -> woken.add(((TasksWaiting) event).type())),
        new TaskMeters(meters),
        leads::get);
  }

  @Test
  void workThatIsLongDueIsToldOfWhateverItsStageAndTable() {
    TaskType late = given.aType().create();
    given.aWaitingTask().ofType(late).dueIn(1, MINUTES).create();
    given.nextTable(late);
    given.aWaitingTask().ofType(late).inStage("last").dueSince(2, MINUTES).create();

    FallbackWakeUp.Result result = wakeUp.runOnce();

    assertThat(woken).contains(late);
    assertThat(result.didAnything()).isTrue();
    assertThat(result.lateTypes()).isEqualTo(woken.size());
    assertThat(result.latestMs()).isGreaterThanOrEqualTo(120_000);
    assertThat(meters.get("asyncflow.tasks.late").gauge().value())
        .isEqualTo(result.latestMs() / 1000.0);
  }

  @Test
  void serverThatLeadsNoMoreShowsNothingOfWhatItSaw() {
    given.aWaitingTask().ofType(given.aType().create()).dueSince(2, MINUTES).create();
    wakeUp.runOnce();

    leads.set(false);

    assertThat(meters.get("asyncflow.tasks.late").gauge().value()).isZero();
  }

  @Test
  void workThatIsNotDueOrHasJustBecomeSoOrIsPausedWakesNobody() {
    TaskType unused = given.aType().create();
    families.of(unused);
    TaskType future = given.aType().create();
    given.aWaitingTask().ofType(future).dueIn(1, MINUTES).create();
    TaskType fresh = given.aType().create();
    given.aWaitingTask().ofType(fresh).create();
    TaskType paused = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(paused).dueSince(2, MINUTES).create();

    wakeUp.runOnce();

    assertThat(woken).doesNotContain(unused, future, fresh, paused);
  }

  @Test
  void tableWithMoreStagesThanARunLooksAtIsLookedAtInTurns() {
    TaskType many = given.aType().create();
    for (int stage = 0; stage < 110; stage++) {
      given.aWaitingTask().ofType(many).inStage("s%03d".formatted(stage)).create();
    }
    given.aWaitingTask().ofType(many).inStage("t").dueSince(2, MINUTES).create();

    wakeUp.runOnce();
    wakeUp.runOnce();
    assertThat(woken).doesNotContain(many);
    wakeUp.runOnce();
    assertThat(woken).containsOnlyOnce(many);

    wakeUp.runOnce(); // begins with the first stage again
    wakeUp.runOnce();
    wakeUp.runOnce();
    assertThat(woken.stream().filter(many::equals)).hasSize(2);
  }

  @Test
  void lateStageOfManyIsKnownUntilItsNextTurn() {
    TaskType many = given.aType().create();
    for (int stage = 0; stage < 60; stage++) {
      given.aWaitingTask().ofType(many).inStage("s" + stage).dueIn(1, MINUTES).create();
    }
    TaskId late = given.aWaitingTask().ofType(many).inStage("t").dueSince(2, MINUTES).create();
    wakeUp = wakeUpOfNothingBut(many);

    wakeUp.runOnce();
    for (int run = 2; run <= 4; run++) {
      FallbackWakeUp.Result result = wakeUp.runOnce();
      assertThat(result.lateTypes()).isEqualTo(1);
      assertThat(result.latestMs()).isGreaterThanOrEqualTo(120_000);
      assertThat(meters.get("asyncflow.tasks.late").gauge().value()).isGreaterThanOrEqualTo(120);
    }

    given.set(late, "status = 4");
    assertThat(wakeUp.runOnce().lateTypes()).as("its turn is the next").isEqualTo(1);
    assertThat(wakeUp.runOnce().lateTypes()).isZero();
  }

  @Test
  void taskThatIsNoMoreIsNotLateAnyMore() {
    TaskType late = given.aType().create();
    TaskId id = given.aWaitingTask().ofType(late).dueSince(2, MINUTES).create();
    wakeUp = wakeUpOfNothingBut(late);
    assertThat(wakeUp.runOnce().lateTypes()).isEqualTo(1);
    assertThat(woken).containsExactly(late);

    woken.clear();
    given.set(id, "status = 4");

    assertThat(wakeUp.runOnce().lateTypes()).isZero();
    assertThat(woken).isEmpty();
  }
}
