package io.asyncflow.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class CpuUseTest {

  private static final CpuReading START = new CpuReading(0, 1_000, 5_000, 300, 100, 2, true);

  @Test
  void whatTheBenchDidNotUseIsUnusedOrTakenByOthers() {
    // Two seconds on two cores are 400 ticks: 260 of the bench, 40 of others, 100 idle.
    CpuReading end = new CpuReading(2_000_000_000L, 1_300, 5_100, 560, 100, 2, true);

    CpuUse use = CpuUse.between(START, end);

    assertThat(use.unused()).isCloseTo(0.5, within(1e-9));
    assertThat(use.others()).isCloseTo(0.2, within(1e-9));
    assertThat(use.disturbed()).isFalse();
  }

  @Test
  void moreThanAThirdOfACoreForOthersDisturbs() {
    CpuReading end = new CpuReading(1_000_000_000L, 1_134, 5_000, 400, 100, 2, true);

    assertThat(CpuUse.between(START, end).disturbed()).isTrue();
  }

  @Test
  void thisProcessIsSeenToWork() {
    CpuMeter meter = new CpuMeter(List.of(ProcessHandle.current().pid()), true);
    CpuReading before = meter.get();
    long end = System.nanoTime() + 100_000_000L;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }

    assertThat(meter.get().ownTicks()).isGreaterThan(before.ownTicks());
  }
}
