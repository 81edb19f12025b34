package io.asyncflow.flowsvr.task.row;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransitionStoreTest {

  private final TransitionStore store = new TransitionStore(null, List.of(), null, null);

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"SUCCESS", "FAILED", "CANCELLED"})
  void noEndOfAHoldLeavesAFinalStatus(TaskStatus from) {
    TaskRow row = aRow().inStatus(from).build();
    TaskRow waiting = row.copy().status(TaskStatus.WAITING).row();
    List<TaskTransition> end = List.of(new TaskTransition(row, waiting, EventKind.RELEASED, null));
    assertThatThrownBy(() -> store.apply(end))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(row.id().toString());
    assertThatThrownBy(() -> store.applyIfUnchanged(row.id().table(), end))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(row.id().toString());
  }
}
