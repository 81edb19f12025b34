package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskTableTest {

  @Test
  void nameIsMadeOfTypeAndNumber() {
    assertThat(new TaskTable(new TaskType("lark"), 3).sqlName()).isEqualTo("t_lark_task_3");
    assertThatThrownBy(() -> new TaskTable(new TaskType("lark"), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noTypeMakesTheNameOfAFixedTable() {
    // t_{type}_task_{number} ends in a number, and these do not
    for (String fixed :
        new String[] {"t_task_template", "t_task_key", "t_hold", "t_schedule_cfg"}) {
      assertThat(fixed).doesNotMatch("t_.+_task_[0-9]+");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"lark", "a", "task", "a_task_b", "tasks", "abcdefghijklmnopqrstuvwxyz01234"})
  void ordinaryNamesAreTypesWithoutRegardToCase(String name) {
    assertThat(TaskType.parse(name)).contains(new TaskType(name));
    assertThat(TaskType.parse(name.toUpperCase(java.util.Locale.ROOT)))
        .contains(new TaskType(name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "9a",
        "_a",
        "a-b",
        "a b",
        "a;b",
        "a`b",
        "a.b",
        "a\n",
        "ä",
        "x_task",
        "x_task_1",
        "x_TASK_12",
        "_task_1",
        "abcdefghijklmnopqrstuvwxyz012345"
      })
  void otherNamesAreNone(String name) {
    assertThat(TaskType.parse(name)).isEmpty();
  }
}
