package io.asyncflow.flowsvr.task;

import static io.asyncflow.flowsvr.task.TaskRows.aRow;
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
    if (from.isFinal()) {
      assertThatThrownBy(() -> TaskTransition.of(row, TaskStatus.WAITING, "log"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(row.id().toString());
    } else {
      assertThat(TaskTransition.of(row, TaskStatus.WAITING, "log").status())
          .isEqualTo(TaskStatus.WAITING);
    }
  }

  @ParameterizedTest
  @EnumSource(TaskStatus.class)
  void nothingButTheStatusAndTheLogChangesUnlessItIsSaid(TaskStatus to) {
    TaskRow row = aRow().heldBy("w").withPriority(7).failedTimes(2).deliveredTimes(3).build();
    assertThat(Became.of(TaskTransition.of(row, to, "log")))
        .isEqualTo(
            new Became(
                to,
                row.stage(),
                7,
                row.orderTime(),
                2,
                3,
                row.reportedEpoch(),
                row.reportId(),
                row.context(),
                row.result(),
                "log"));
  }
}
