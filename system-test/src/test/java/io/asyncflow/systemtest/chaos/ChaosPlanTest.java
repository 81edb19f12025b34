package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChaosPlanTest {

  @Test
  void headlineHasAJobForEachThousandTasksAndAScheduleForEachHundred() {
    ChaosPlan plan = ChaosPlan.of(5_000, 1);
    assertThat(plan).isEqualTo(new ChaosPlan(5_000, 5, 50, 1, 3, 6, Duration.ofMinutes(2)));
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofSeconds(5));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofSeconds(15));
  }

  @Test
  void fewTasksHaveAsManyFaultsInLessTime() {
    ChaosPlan plan = ChaosPlan.of(500, 1);
    assertThat(plan.load()).isEqualTo(Duration.ofSeconds(12));
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofMillis(500));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofMillis(1_500));
  }

  @Test
  void manyTasksHaveAFaultAsOften() {
    ChaosPlan plan = ChaosPlan.of(1_000_000, 1);
    assertThat(plan.calmAtLeast()).isEqualTo(Duration.ofSeconds(5));
    assertThat(plan.calmAtMost()).isEqualTo(Duration.ofSeconds(15));
  }
}
