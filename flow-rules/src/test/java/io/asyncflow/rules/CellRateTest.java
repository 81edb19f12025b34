package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CellRateTest {

  private static final long NOW = 1_000_000_000_000_000L;
  private static final long MINUTE = 60_000_000;

  private static int permits(CellRate rate, long spentUntil) {
    return rate.permits(rate.chargedFrom(spentUntil, NOW), NOW);
  }

  @Test
  void idleCallerMayTakeAWholeMinuteAtOnce() {
    for (int limit : new int[] {1, 7, 60, 1_000_000}) {
      CellRate rate = CellRate.perMinute(limit);
      assertThat(permits(rate, 0)).isGreaterThanOrEqualTo(limit).isEqualTo(rate.most());
    }
  }

  @Test
  void idleCallerMayTakeATenthOfASecondAtOnce() {
    assertThat(permits(CellRate.perSecond(1_000), 0)).isEqualTo(100);
    assertThat(permits(CellRate.perSecond(1), 0)).isEqualTo(1);
  }

  @Test
  void permitsComeEvenly() {
    CellRate rate = CellRate.perMinute(60);
    long from = rate.chargedFrom(0, NOW);
    long spent = rate.spentUntil(from, 60);
    assertThat(permits(rate, spent)).isZero();
    assertThat(rate.waitMs(spent, 1, NOW)).isEqualTo(1_001);
    assertThat(rate.waitMs(spent, 60, NOW)).isEqualTo(60_001);
    assertThat(rate.permits(spent, NOW + 1_500_000)).isEqualTo(1);
    assertThat(rate.permits(spent, NOW + MINUTE)).isEqualTo(60);
  }

  @Test
  void clockThatWasSetBackFreezesNothing() {
    CellRate rate = CellRate.perMinute(60);
    assertThat(permits(rate, NOW + 60 * MINUTE)).isEqualTo(60);
  }
}
