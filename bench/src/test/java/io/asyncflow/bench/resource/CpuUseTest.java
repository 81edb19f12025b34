package io.asyncflow.bench.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class CpuUseTest {

  private static final CpuReading START = reading(0, 1_000, 5_000, 300);

  @Test
  void whatTheBenchDidNotUseIsUnusedOrTakenByOthers() {
    // Two seconds on two cores are 400 ticks: 260 of the bench, 40 of others, 100 idle.
    CpuReading end = reading(2, 1_300, 5_100, 560);

    CpuUse use = CpuUse.between(START, end);

    assertThat(use.unused()).isCloseTo(0.5, within(1e-9));
    assertThat(use.others()).isCloseTo(0.2, within(1e-9));
    assertThat(use.ownSeconds()).containsEntry("server", 2.6);
    assertThat(use.microsEach(20_000)).isEqualTo("server 130");
    assertThat(use.disturbed()).isFalse();
  }

  @Test
  void processThatWasStartedAnewHasUsedAllOfItsTime() {
    CpuReading end = reading(2, 1_300, 5_100, 8, 200);

    assertThat(CpuUse.between(START, end).ownSeconds()).containsEntry("server", 2.0);
  }

  @Test
  void moreThanAThirdOfACoreForOthersDisturbs() {
    CpuReading end = reading(1, 1_134, 5_000, 400);

    assertThat(CpuUse.between(START, end).disturbed()).isTrue();
  }

  @Test
  void thisProcessIsSeenToWork() {
    CpuMeter meter = new CpuMeter(Map.of("me", ProcessHandle.current().pid()), true);
    CpuReading before = meter.get();
    long end = System.nanoTime() + 100_000_000L;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }

    assertThat(meter.get().ownTicks().get("me").since(before.ownTicks().get("me"))).isPositive();
  }

  private static CpuReading reading(int second, long busy, long idle, long own) {
    return reading(second, busy, idle, 7, own);
  }

  private static CpuReading reading(int second, long busy, long idle, long pid, long own) {
    return new CpuReading(
        second * 1_000_000_000L,
        busy,
        idle,
        Map.of("server", new CpuReading.Own(pid, own)),
        100,
        true);
  }
}
