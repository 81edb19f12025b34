package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TaskStatusTest {

  @Test
  void finalAreThoseThatWorkDoesNotLeave() {
    assertThat(TaskStatus.values())
        .filteredOn(TaskStatus::isFinal)
        .containsExactly(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.CANCELLED);
  }

  @Test
  void codesAreTheBitsThatClientsKnow() {
    assertThat(Arrays.stream(TaskStatus.values()).map(TaskStatus::code))
        .containsExactly(1, 2, 4, 8, 16, 32);
    for (TaskStatus status : TaskStatus.values()) {
      assertThat(TaskStatus.ofCode(status.code())).isEqualTo(status);
    }
    for (int none : new int[] {-1, 0, 3, 5, 63, 64}) {
      assertThatThrownBy(() -> TaskStatus.ofCode(none))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void everyOrOfBitsNamesItsStatuses() {
    for (int bits = 1; bits <= 63; bits++) {
      int sum = TaskStatus.ofBits(bits).stream().mapToInt(TaskStatus::code).sum();
      assertThat(sum).isEqualTo(bits);
    }
    for (int none : new TreeSet<>(Set.of(Integer.MIN_VALUE, -1, 0, 64, 65, Integer.MAX_VALUE))) {
      assertThatThrownBy(() -> TaskStatus.ofBits(none))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
