package io.asyncflow.rules;

import static io.asyncflow.rules.HoldEndTest.aType;
import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import org.junit.jupiter.api.Test;

class TaskRowTest {

  private static final TypeRules TYPE = aType(30, 30);
  private static final FireId FIRE = new FireId(7, 1_800_000_060_000L);

  @Test
  void tasksOfJobsAndOfFiresAreLedgeredAndNoOthers() {
    assertThat(aRow().build().isLedgered()).isFalse();
    assertThat(aRow().at(JobPlace.splitOf(3)).build().isLedgered()).isTrue();
    assertThat(aRow().at(new JobPlace(3, 0)).build().isLedgered()).isTrue();
    assertThat(aRow().createdBy(FIRE).build().isLedgered()).isTrue();
  }

  @Test
  void changedRowIsOfTheSameFire() {
    TaskRow row = aRow().createdBy(FIRE).build();
    assertThat(row.held("w", "trace", 5, 9).fire()).isEqualTo(FIRE);
    assertThat(row.copy().status(TaskStatus.SUCCESS).row().fire()).isEqualTo(FIRE);
  }

  @Test
  void fireIsShownWithItsScheduleAsText() {
    Task task = aRow().createdBy(FIRE).build().toTask(TYPE);
    assertThat(task.scheduleId()).isEqualTo("7");
    assertThat(task.fireTime()).isEqualTo(1_800_000_060_000L);
    assertThat(task.jobId()).isNull();
    Task other = aRow().build().toTask(TYPE);
    assertThat(other.scheduleId()).isNull();
    assertThat(other.fireTime()).isNull();
  }
}
