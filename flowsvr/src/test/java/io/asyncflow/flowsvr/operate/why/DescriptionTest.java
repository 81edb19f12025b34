package io.asyncflow.flowsvr.operate.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read of the texts in which workers describe themselves. */
class DescriptionTest {

  private static final String JSON =
      """
      {"stages":["LARK/first","bad"],"version":7,"freeThreads":{"LARK":2},"freeSlots":{"gpu":0},
       "states":{"quarantined":"gpu:0","stuck":"3"}}""";

  @Test
  void typesAreInLowerCase() {
    Description read = Description.read(JSON);

    assertThat(read.stages()).containsExactly("lark/first");
    assertThat(read.freeThreads()).containsEntry("lark", 2);
    assertThat(read.version()).isEqualTo(7);
    assertThat(read.quarantined()).isEqualTo("gpu:0");
    assertThat(read.stuck()).isEqualTo(3);
  }

  @Test
  void labelsModelsAndQueuedTasksAreRead() {
    Description read =
        Description.read(
            """
            {"withheld":[{"stage":"LARK/split","requires":["zone=b","disk"]},{"stage":"bad"}],
             "models":{"LARK/first":"kokoro"},"loaded":["kokoro",7],"queued":["1_lark_task_1"]}""");

    assertThat(read.withheld()).containsExactly(entry("lark/split", List.of("disk", "zone=b")));
    assertThat(read.models()).containsExactly(entry("lark/first", "kokoro"));
    assertThat(read.loaded()).containsExactly("kokoro");
    assertThat(read.queued()).containsExactly("1_lark_task_1");
  }

  @Test
  void workersOfOlderVersionsSayNothingOfLabelsModelsAndQueuedTasks() {
    Description read = Description.read(JSON);

    assertThat(read.withheld()).isEmpty();
    assertThat(read.models()).isEmpty();
    assertThat(read.loaded()).isEmpty();
    assertThat(read.queued()).isEmpty();
  }

  @Test
  void textThatWasWrittenBySqlSaysNothing() {
    assertThat(Description.read("no JSON").stages()).isEmpty();
  }
}
