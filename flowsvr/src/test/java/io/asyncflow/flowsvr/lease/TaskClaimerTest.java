package io.asyncflow.flowsvr.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.lease.ClaimStore.Head;
import io.asyncflow.flowsvr.lease.ClaimStore.Source;
import io.asyncflow.flowsvr.lease.Dealing.Place;
import io.asyncflow.flowsvr.tasktable.TaskTable;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How many of each source a claim wants. */
class TaskClaimerTest {

  private static final long NOW = 1_000;
  private static final TaskType LARK = new TaskType("lark");
  private static final List<Place> ONE_FOR_ALL =
      List.of(new Place(new Hold(LARK, 100, "w", Duration.ZERO, null, Set.of()), 100));
  private static final Source OLD = new Source(new TaskTable(LARK, 1), "first");
  private static final Source NEW = new Source(new TaskTable(LARK, 2), "first");

  @Test
  void dueTasksOfAllSourcesAreMergedInTheirOrder() {
    List<Head> heads =
        List.of(head(OLD, 1, 10), head(OLD, 2, 40), head(NEW, 3, 20), head(NEW, 4, 30));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 3)).isEqualTo(Map.of(OLD, 1, NEW, 2));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 10)).isEqualTo(Map.of(OLD, 2, NEW, 2));
  }

  @Test
  void tiesAreOrderedByNumber() {
    assertThat(TaskClaimer.plan(List.of(head(NEW, 7, 10), head(OLD, 6, 10)), ONE_FOR_ALL, 1))
        .isEqualTo(Map.of(OLD, 1));
  }

  @Test
  void whatIsNotDueIsNotPlanned() {
    List<Head> heads = List.of(head(OLD, 1, NOW), head(OLD, 2, NOW + 1), head(NEW, 3, NOW + 1_000));
    assertThat(TaskClaimer.plan(heads, ONE_FOR_ALL, 10)).isEqualTo(Map.of(OLD, 1));
    assertThat(TaskClaimer.plan(List.of(), ONE_FOR_ALL, 10)).isEmpty();
  }

  @Test
  void whatIsLeftToOthersIsForAHoldWhenItHasBeenDueLongEnough() {
    Preference preference = new Preference(Set.of("other"), Duration.ofMillis(300));
    Hold hold = new Hold(LARK, 100, "w", Duration.ZERO, null, Set.of(), preference);
    List<Place> choosy = List.of(new Place(hold, 100));
    List<Head> heads = List.of(head(OLD, 1, NOW - 100), head(NEW, 2, NOW - 250));
    assertThat(TaskClaimer.plan(heads, choosy, 10)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(heads, choosy)).hasValue(50);
    assertThat(TaskClaimer.nextForOthersInMs(heads, ONE_FOR_ALL)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(List.of(head(OLD, 1, NOW + 1)), choosy)).isEmpty();
    assertThat(TaskClaimer.nextForOthersInMs(heads, List.of(new Place(hold, 0)))).isEmpty();
  }

  private static Head head(Source source, long number, long orderTime) {
    return new Head(source, number, orderTime, NOW);
  }
}
