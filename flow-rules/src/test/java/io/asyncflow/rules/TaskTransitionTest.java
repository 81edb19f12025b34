package io.asyncflow.rules;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskTransitionTest {

  @ParameterizedTest
  @EnumSource(TaskStatus.class)
  void nothingLeavesAFinalStatus(TaskStatus from) {
    TaskRow row = aRow().inStatus(from).build();
    TaskRow waiting = row.copy().status(TaskStatus.WAITING).row();
    if (from.isFinal()) {
      assertThatThrownBy(() -> transition(row, waiting))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(row.id().toString());
    } else {
      assertThat(transition(row, waiting).after().status()).isEqualTo(TaskStatus.WAITING);
    }
  }

  private static TaskTransition transition(TaskRow row, TaskRow waiting) {
    return new TaskTransition(row, waiting, EventKind.RELEASED, null);
  }
}
