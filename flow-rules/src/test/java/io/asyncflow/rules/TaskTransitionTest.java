package io.asyncflow.rules;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.TaskStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskTransitionTest {

  @ParameterizedTest
  @EnumSource(TaskStatus.class)
  void nothingLeavesAFinalStatus(TaskStatus from) {
    TaskRow row = aRow().inStatus(from).build();
    TaskRow waiting = row.copy().status(TaskStatus.WAITING).row();
    if (from.isFinal()) {
      assertThatThrownBy(() -> new TaskTransition(row, waiting))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(row.id().toString());
    } else {
      assertThat(new TaskTransition(row, waiting).after().status()).isEqualTo(TaskStatus.WAITING);
    }
  }
}
