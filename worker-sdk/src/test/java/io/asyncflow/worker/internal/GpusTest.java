package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.internal.Gpus.Gpu;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nvidia-smi prints, by a shell that prints it. */
class GpusTest {

  private static final String TWO =
      "printf '0, GPU-aa1, NVIDIA H100 80GB HBM3\\n1, GPU-bb2, NVIDIA L4\\n'";

  private static List<Gpu> found(String script, String visible) {
    return Gpus.found(List.of("sh", "-c", script), visible);
  }

  @Test
  void eachGpuIsADevice() {
    assertThat(found(TWO, null))
        .containsExactly(
            new Gpu("cuda:0", "NVIDIA H100 80GB HBM3"), new Gpu("cuda:1", "NVIDIA L4"));
  }

  @Test
  void whatCudaIsToldNotToSeeIsLeftOut() {
    assertThat(found(TWO, "1")).containsExactly(new Gpu("cuda:1", "NVIDIA L4"));
    assertThat(found(TWO, "GPU-bb2")).containsExactly(new Gpu("cuda:GPU-bb2", "NVIDIA L4"));
    assertThat(found(TWO, "")).isEmpty();
  }

  @Test
  void aMachineWithoutAnyHasNone() {
    assertThat(Gpus.found(List.of("no-such-program-here"), null)).isEmpty();
    assertThat(found("echo 'NVIDIA-SMI has failed'; exit 9", null)).isEmpty();
    assertThat(found("echo 'No devices were found'", null)).isEmpty();
  }
}
