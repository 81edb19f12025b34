package io.asyncflow.worker.internal.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.BatchStageHandler;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchesTest {

  private static Batches of(int most) {
    return new Batches(
        new BatchStageHandler() {
          @Override
          public void handle(List<BatchRun> batch) {}

          @Override
          public int maxTasks() {
            return most;
          }
        });
  }

  @Test
  void aBatchThatLacksResourcesHalvesTheNext() {
    Batches batches = of(16);
    batches.recordResourceFailure(16);
    assertThat(batches.limit()).isEqualTo(8);
    batches.recordResourceFailure(5);
    assertThat(batches.limit()).isEqualTo(2);
    batches.recordResourceFailure(12);
    assertThat(batches.limit()).as("a larger one from before").isEqualTo(2);
    batches.recordResourceFailure(1);
    assertThat(batches.limit()).isEqualTo(1);
  }

  @Test
  void fullBatchesThatGoWellLetThemGrowSlowly() {
    Batches batches = of(16);
    batches.recordResourceFailure(16);
    for (int i = 0; i < 50; i++) {
      batches.recordSuccess(7);
    }
    assertThat(batches.limit()).as("none was full").isEqualTo(8);
    for (int i = 0; i < 9; i++) {
      batches.recordSuccess(8);
    }
    assertThat(batches.limit()).isEqualTo(8);
    batches.recordSuccess(8);
    assertThat(batches.limit()).isEqualTo(9);
    for (int i = 0; i < 1000; i++) {
      batches.recordSuccess(16);
    }
    assertThat(batches.limit()).isEqualTo(16);
  }

  @Test
  void aBatchHasAtLeastOneTask() {
    assertThatIllegalArgumentException().isThrownBy(() -> of(0));
  }
}
