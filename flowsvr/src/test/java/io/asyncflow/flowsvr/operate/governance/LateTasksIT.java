package io.asyncflow.flowsvr.operate.governance;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.queue.due.DueStore;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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
  @Autowired DueStore index;

  private final Node node = new Node();
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
    return lateTasksOf(only);
  }

  private LateTasks lateTasksOf(TaskFamilies looked) {
    return new LateTasks(types, looked, index, pauses, leads::get, node);
  }

  /** What a scrape reads, by type. */
  private Map<String, Double> seconds() {
    Map<String, Double> byType = new TreeMap<>();
    for (MetricSnapshot snapshot : lateTasks.snapshots()) {
      ((GaugeSnapshot) snapshot)
          .getDataPoints()
          .forEach(point -> byType.put(point.getLabels().get("type"), point.getValue()));
    }
    return byType;
  }

  @Test
  void headStartOfAPriorityIsNoLateness() {
    TaskType late = given.aType().create();
    given.aWaitingTask().ofType(late).withPriority(3_600).create();
    lateTasks = lateTasksOfNothingBut(late);

    assertThat(lateTasks.runOnce().latestMs()).isBetween(0L, 60_000L);
    assertThat(seconds().get(late.name())).isLessThan(60);

    TaskId id = given.aWaitingTask().ofType(late).inStage("last").withPriority(3_600).create();
    given.letPass(10, MINUTES, id);
    assertThat(lateTasks.runOnce().latestMs()).isBetween(600_000L, 660_000L);
  }

  @Test
  void eachTypeHasItsOwnNumberAndAPausedOneHasNone() {
    TaskType late = given.aType().create();
    given.aWaitingTask().ofType(late).dueSince(2, MINUTES).create();
    TaskType prompt = given.aType().create();
    families.of(prompt);
    TaskType paused = given.aType().with("paused", 1).create();
    given.aWaitingTask().ofType(paused).dueSince(2, MINUTES).create();
    TaskFamilies three = mock();
    when(three.allWithin(any()))
        .thenReturn(List.of(families.of(late), families.of(prompt), families.of(paused)));
    lateTasks = lateTasksOf(three);
    assertThat(seconds()).as("before the first run").isEmpty();

    lateTasks.runOnce();

    assertThat(seconds()).containsOnlyKeys(late.name(), prompt.name());
    assertThat(seconds().get(late.name())).isGreaterThanOrEqualTo(120);
    assertThat(seconds().get(prompt.name())).isZero();
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
    assertThat(seconds().get(late.name())).isGreaterThanOrEqualTo(120);
  }

  @Test
  void serverThatLeadsNoMoreShowsNothingOfWhatItSaw() {
    given.aWaitingTask().ofType(given.aType().create()).dueSince(2, MINUTES).create();
    lateTasks.runOnce();
    assertThat(seconds()).isNotEmpty();

    leads.set(false);

    assertThat(seconds()).isEmpty();
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
      given
          .aWaitingTask()
          .ofType(many)
          .inStage(String.format(Locale.ROOT, "s%03d", stage))
          .dueIn(1, MINUTES)
          .create();
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
      assertThat(seconds().get(many.name())).isGreaterThanOrEqualTo(120);
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
