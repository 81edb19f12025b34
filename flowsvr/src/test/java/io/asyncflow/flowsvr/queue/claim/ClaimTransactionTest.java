package io.asyncflow.flowsvr.queue.claim;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.queue.claim.ClaimLimits.Allowance;
import io.asyncflow.flowsvr.queue.claim.ClaimTransaction.Assignment;
import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.task.index.Range;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;

/** How many tasks a claim locks; the database is a list. */
class ClaimTransactionTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final Range RANGE = Range.whole(new Source(new TaskTable(LARK, 1), "first"));

  private final Queue queue = new Queue();
  private final ClaimLimits limits = mock();
  private final TaskTypeConfig type = mock();
  private final ClaimTransaction joint =
      new ClaimTransaction(
          queue,
          mock(),
          mock(),
          limits,
          mock(),
          mock(),
          new RetryingTransactions(mock(PlatformTransactionManager.class)),
          mock());

  @BeforeEach
  void aTypeWithoutLimits() {
    when(limits.lock(any())).thenReturn(Allowance.UNLIMITED);
    when(type.type()).thenReturn(LARK);
    when(type.lease()).thenReturn(Duration.ofSeconds(30));
    when(type.maxProcessingTime()).thenReturn(Duration.ofSeconds(60));
  }

  @Test
  void claimOfLargeTasksLocksTwiceWhatHadRoomAndMoreWhenTheyAreSmallAgain() {
    String log = "x".repeat(TaskLimits.SCHEDULE_LOG_BYTES);
    queue.add(400, log);
    int room = claim().tasks();
    assertThat(room).isBetween(50, 64);
    assertThat(claim().tasks()).isEqualTo(room);
    assertThat(claim().isCut()).isTrue();
    assertThat(queue.locked).containsExactly(400, 2 * room, 2 * room);

    queue.waiting.clear();
    queue.locked.clear();
    queue.add(5_000, "");
    Assignment small = claim();
    assertThat(small.tasks()).isEqualTo(2 * room);
    assertThat(small.isCut()).as("there may be more").isTrue();
    for (int i = 0; i < 4; i++) {
      claim();
    }
    assertThat(queue.locked).containsExactly(2 * room, 4 * room, 8 * room, 1_000, 1_000);
    assertThat(claim().isCut()).isFalse();
  }

  @Test
  void claimOfFewTasksIsNotCutBecauseOthersWereLarge() {
    queue.add(400, "x".repeat(TaskLimits.SCHEDULE_LOG_BYTES));
    claim();
    queue.waiting.clear();
    queue.add(20, "");
    assertThat(claim().isCut()).isFalse();
  }

  @Test
  void taskThatWasLostIsGivenAloneToAWorkerThatLosesAllAtOnce() {
    queue.waiting.add(TaskRows.aRow().numbered(1).dueAt(TaskRows.NOW - 3).build());
    for (int lost = 2; lost <= 3; lost++) {
      queue.waiting.add(
          TaskRows.aRow().numbered(lost).dueAt(TaskRows.NOW - 3).deliveredTimes(1).build());
    }
    queue.waiting.add(TaskRows.aRow().numbered(4).dueAt(TaskRows.NOW - 1).build());

    assertThat(numbers(claim(oldWorker()))).as("none that was lost").containsExactly(1L, 4L);
    Assignment second = claim(oldWorker());
    assertThat(numbers(second)).containsExactly(2L);
    assertThat(second.isCut()).as("the third one is left").isTrue();
    assertThat(numbers(claim(oldWorker()))).containsExactly(3L);
  }

  @Test
  void workerThatRunsTasksApartIsGivenLostOnesWithOthers() {
    queue.waiting.add(TaskRows.aRow().numbered(1).deliveredTimes(1).build());
    queue.waiting.add(TaskRows.aRow().numbered(2).build());
    assertThat(numbers(claim())).containsExactly(1L, 2L);
  }

  private static List<Long> numbers(Assignment assignment) {
    return assignment.shares().get(0).stream().map(row -> row.id().number()).toList();
  }

  private static Hold oldWorker() {
    return new Hold(
        LARK,
        1_000,
        "",
        Duration.ZERO,
        null,
        Set.of(),
        Preference.NONE,
        "",
        0,
        Duration.ofHours(1));
  }

  /** Of a hold that takes a thousand. */
  private Assignment claim() {
    return claim(new Hold(LARK, 1_000, "w", Duration.ZERO, null, Set.of()));
  }

  private Assignment claim(Hold hold) {
    return joint.take(
        type,
        List.of(new Claimant(hold, 1_000)),
        most -> Map.of(RANGE, Math.min(most, 1_000)),
        () -> false);
  }

  /** Tasks that wait, and how many claims have locked. */
  private static final class Queue extends ClaimStore {

    final List<TaskRow> waiting = new ArrayList<>();
    final List<Integer> locked = new ArrayList<>();

    Queue() {
      super(null, null);
    }

    void add(int count, String log) {
      for (int i = 0; i < count; i++) {
        waiting.add(TaskRows.aRow().numbered(1 + i).withLog(log).build());
      }
    }

    @Override
    List<TaskRow> lockDue(Range range, int limit) {
      List<TaskRow> rows = List.copyOf(waiting.subList(0, Math.min(limit, waiting.size())));
      locked.add(rows.size());
      return rows;
    }

    @Override
    public int markHeld(TaskTable table, List<TaskTransition> changes) {
      Set<TaskId> held = changes.stream().map(change -> change.after().id()).collect(toSet());
      waiting.removeIf(row -> held.contains(row.id()));
      return changes.size();
    }
  }
}
