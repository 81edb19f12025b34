package io.asyncflow.flowsvr.queue.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.queue.claim.ClaimLimitStore.Spending;
import io.asyncflow.flowsvr.queue.claim.ClaimLimits.Allowance;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The rate as arithmetic; times are microseconds. */
class ClaimLimitsTest {

  private static final long NOW = 1_000_000_000_000_000L;

  @Test
  void whoWasIdleMayTakeATenthOfASecondAtOnce() {
    assertThat(ClaimLimits.ofRate(new Spending(0, NOW), 1_000).tasks()).isEqualTo(100);
    assertThat(ClaimLimits.ofRate(new Spending(0, NOW), 10).tasks()).isEqualTo(1);
    assertThat(ClaimLimits.ofRate(new Spending(0, NOW), 1).tasks()).isEqualTo(1);
  }

  @Test
  void permitsComeEvenly() {
    assertThat(ClaimLimits.ofRate(new Spending(NOW - 50_000, NOW), 100).tasks()).isEqualTo(5);
    Allowance none = ClaimLimits.ofRate(new Spending(NOW - 5_000, NOW), 100);
    assertThat(none.tasks()).isZero();
    assertThat(none.nextInMs()).isEqualTo(OptionalLong.of(6));
  }

  @Test
  void whatIsLeftOfAnIntervalIsNotLost() {
    assertThat(ClaimLimits.ofRate(new Spending(NOW - 25_000, NOW), 100))
        .isEqualTo(new Allowance(2, OptionalLong.empty(), NOW - 25_000));
  }

  @Test
  void aClockThatWasSetBackFreezesNothing() {
    long anHourAhead = NOW + 3_600_000_000L;
    assertThat(ClaimLimits.ofRate(new Spending(anHourAhead, NOW), 100))
        .isEqualTo(ClaimLimits.ofRate(new Spending(0, NOW), 100));
    assertThat(ClaimLimits.ofRate(new Spending(NOW + 1, NOW), 1).tasks()).isEqualTo(1);
  }
}
