package io.asyncflow.worker.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TaskTypeSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TypeLimitsTest {

  private static TypeLimits limits(Integer limit, Integer interval, Integer max, Integer lease) {
    return TypeLimits.of(
        TaskTypeSettings.named("lark")
            .withScheduleLimit(limit)
            .withScheduleInterval(interval)
            .withMaxProcessingTime(max)
            .withLeaseSeconds(lease));
  }

  @Test
  void whatIsMissingHasTheContractsDefault() {
    assertThat(limits(null, null, null, null))
        .isEqualTo(
            new TypeLimits(
                100, Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(30)));
  }

  @Test
  void aLongPollIsTheIntervalButNeverLongerThanHalfAMinute() {
    assertThat(limits(1, 7, 1, 1).longPoll()).isEqualTo(Duration.ofSeconds(7));
    assertThat(limits(1, 600, 1, 1).longPoll()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aHoldNeverAsksForMoreThanTheContractAllows() {
    assertThat(limits(5000, 1, 1, 1).scheduleLimit()).isEqualTo(1000);
  }

  @Test
  void aLeaseEndsWithTheAttemptAtTheLatest() {
    assertThat(limits(1, 1, 5, 30).lease()).isEqualTo(Duration.ofSeconds(5));
    assertThat(limits(1, 1, 50, 30).lease()).isEqualTo(Duration.ofSeconds(30));
  }
}
