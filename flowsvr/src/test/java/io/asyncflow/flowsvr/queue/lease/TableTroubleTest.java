package io.asyncflow.flowsvr.queue.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableTroubleTest {

  private static final TaskTable TABLE = new TaskTable(new TaskType("lark"), 1);
  private static final RuntimeException LOCKED = new IllegalStateException("locked");

  private long now = Long.MAX_VALUE - 1_000_000; // it overflows
  private final TableTrouble trouble = new TableTrouble(() -> now);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  @Test
  void tableWithoutTroubleMayBeTriedByAll() {
    assertThat(trouble.of(TABLE)).isEmpty();
    assertThat(trouble.of(TABLE)).isEmpty();
  }

  @Test
  void tableThatFailedIsLeftAloneForAWhileAndOthersAreNot() {
    trouble.failed(TABLE, LOCKED);
    assertThat(trouble.of(TABLE)).contains(LOCKED);
    assertThat(trouble.of(new TaskTable(new TaskType("lark"), 2))).isEmpty();
    pass(TableTrouble.FIRST_PAUSE.minusNanos(1));
    assertThat(trouble.of(TABLE)).contains(LOCKED);
    pass(Duration.ofNanos(1));
    assertThat(trouble.of(TABLE)).isEmpty();
  }

  @Test
  void oneCallerAloneTriesItAgain() {
    trouble.failed(TABLE, LOCKED);
    pass(TableTrouble.FIRST_PAUSE);
    assertThat(trouble.of(TABLE)).isEmpty();
    assertThat(trouble.of(TABLE)).contains(LOCKED);
    pass(Duration.ofSeconds(2));
    assertThat(trouble.of(TABLE)).as("the try takes its time").contains(LOCKED);
  }

  @Test
  void pauseGrowsWithEachTryThatFails() {
    List<Long> pauses = new ArrayList<>();
    trouble.failed(TABLE, LOCKED);
    for (int tries = 0; tries < 4; tries++) {
      pauses.add(secondsUntilItIsTried());
      pass(Duration.ofSeconds(2));
      trouble.failed(TABLE, LOCKED);
    }
    assertThat(pauses).containsExactly(3L, 6L, 10L, 10L);
  }

  @Test
  void callersThatFailTogetherCountAsOne() {
    assertThat(trouble.failed(TABLE, LOCKED)).as("is news").isTrue();
    assertThat(trouble.failed(TABLE, LOCKED)).isFalse();
    assertThat(trouble.failed(TABLE, LOCKED)).isFalse();
    assertThat(secondsUntilItIsTried()).isEqualTo(3);
  }

  @Test
  void tryThatNeverEndsKeepsNobodyAwayForGood() {
    trouble.failed(TABLE, LOCKED);
    secondsUntilItIsTried();
    assertThat(secondsUntilItIsTried()).isEqualTo(6);
  }

  @Test
  void tableThatWorkedHasNoTroubleAndForgetsItsPauses() {
    trouble.failed(TABLE, LOCKED);
    secondsUntilItIsTried();
    trouble.worked(TABLE);
    assertThat(trouble.of(TABLE)).isEmpty();
    assertThat(trouble.failed(TABLE, LOCKED)).isTrue();
    assertThat(secondsUntilItIsTried()).isEqualTo(3);
  }

  private long secondsUntilItIsTried() {
    long seconds = 0;
    while (trouble.of(TABLE).isPresent()) {
      pass(Duration.ofSeconds(1));
      seconds++;
    }
    return seconds;
  }
}
