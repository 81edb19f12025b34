package io.asyncflow.bench.bed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 99_999, Integer.MAX_VALUE})
  void aContextTellsItsTasksNumberAndAlwaysHasTheSameSize(int number) {
    String context = Workload.context(number);

    assertThat(context.getBytes(StandardCharsets.UTF_8)).hasSize(Workload.CONTEXT_SIZE);
    assertThat(Workload.numberOf(context)).isEqualTo(number);
  }
}
