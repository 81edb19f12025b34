package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskTypeTest {

  @Test
  void typesThatBeginWithFlowAreReserved() {
    assertThat(TaskType.parse("FLOW_webhook").orElseThrow().isReserved()).isTrue();
    assertThat(TaskType.parse("flow").orElseThrow().isReserved()).isFalse();
    assertThat(TaskType.parse("flows_of_work").orElseThrow().isReserved()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "lark",
        "Lark_2",
        "task",
        "a_",
        "a__1",
        "a1_2",
        "a_task_",
        "a_task_b",
        "a_task_1b",
        "a_task1",
        "atask_1",
        "abcdefghijklmnopqrstuvwxyz01234"
      })
  void namesAreKnownWithoutRegardToCase(String text) {
    assertThat(TaskType.parse(text).orElseThrow().name()).isEqualToIgnoringCase(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "_",
        "1",
        "1a",
        "_task",
        "_task_1",
        "a-b",
        "a b",
        "a\n",
        "ä",
        "lar\u212A", // the Kelvin sign, whose lower case is a k
        "\u0130stanbul",
        "a\u0661",
        "a_task",
        "a_task_task",
        "a_task_1",
        "a_task_12_task_3",
        "abcdefghijklmnopqrstuvwxyz012345"
      })
  void whatCouldNotBePartOfATablesNameIsNone(String text) {
    assertThat(TaskType.parse(text)).isEmpty();
  }
}
