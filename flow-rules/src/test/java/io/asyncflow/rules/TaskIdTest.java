package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TaskIdTest {

  @Test
  void idNamesNumberTypeAndTable() {
    TaskId id = TaskId.parse("211899957840445440_lark_task_1").orElseThrow();
    assertThat(id.number()).isEqualTo(211_899_957_840_445_440L);
    assertThat(id.type()).isEqualTo(new TaskType("lark"));
    assertThat(id.table().sqlName()).isEqualTo("t_lark_task_1");
    assertThat(id).hasToString("211899957840445440_lark_task_1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1_lark_task_1",
        "9223372036854775807_lark_task_999999999",
        "1_task_task_1",
        "1_task_1_x_task_2",
        "1_a_task_b_task_12",
        "1_a__task_1",
        "1_my_tasks_task_3",
        "7_task_1a_task_3",
        "7_abcdefghijklmnopqrstuvwxyz01234_task_3"
      })
  void idIsReadFromItsRightEnd(String text) {
    TaskId id = TaskId.parse(text).orElseThrow();
    assertThat(id).hasToString(text);
    assertThat(TaskId.parse(id.toString())).contains(id);
  }

  @Test
  void typeThatContainsTheSeparatorIsReadGreedily() {
    assertThat(TaskId.parse("1_a_task_b_task_12"))
        .contains(new TaskId(1, new TaskTable(new TaskType("a_task_b"), 12)));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "1",
        "_",
        "lark_task_1",
        "1_lark",
        "1_lark_task",
        "1_lark_task_",
        "1_lark_task_0",
        "1_lark_task_01",
        "1_lark_task_-1",
        "1_lark_task_1 ",
        " 1_lark_task_1",
        "1_lark_task_1\n",
        "1_lark_task_1_",
        "1_lark_task_1000000000",
        "1_lark_task_99999999999",
        "0_lark_task_1",
        "01_lark_task_1",
        "-1_lark_task_1",
        "9223372036854775808_lark_task_1",
        "99999999999999999999_lark_task_1",
        "1__task_1",
        "1_Lark_task_1",
        "1_9lark_task_1",
        "1_lark_task_1_task_1",
        "1_lark_task_task_1",
        "1_x_task_2_task_3_task_1",
        "1_t`; DROP TABLE t_schedule_cfg; --_task_1",
        "1_../../etc_task_1",
        "1_lärk_task_1",
        "1_lark\u0000_task_1",
        "1_abcdefghijklmnopqrstuvwxyz012345_task_3",
        "١_lark_task_1"
      })
  void whatIsNoIdIsRefused(String text) {
    assertThat(TaskId.parse(text)).isEmpty();
  }

  @Test
  void longTextIsRefusedQuickly() {
    assertThat(TaskId.parse("1_a" + "_task".repeat(1_000_000) + "_task_1")).isEmpty();
  }
}
