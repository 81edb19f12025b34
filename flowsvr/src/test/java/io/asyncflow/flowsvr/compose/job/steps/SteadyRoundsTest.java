package io.asyncflow.flowsvr.compose.job.steps;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyRoundsTest {

  private final SteadyRounds rounds =
      new SteadyRounds(Duration.ofSeconds(15), Duration.ofSeconds(25), 0);

  private boolean round(int second) {
    long now = Duration.ofSeconds(second).toNanos();
    boolean isSteady = rounds.begin(now);
    rounds.end(now);
    return isSteady;
  }

  @Test
  void roundsAreSteadyOnceTheyHaveRunForAWhile() {
    assertThat(round(10)).isFalse();
    assertThat(round(20)).isFalse();
    assertThat(round(30)).isTrue();
    assertThat(round(45)).isTrue();
  }

  @Test
  void breakBeginsTheWhileAnew() {
    round(10);
    round(20);
    assertThat(round(36)).as("after 16 s without a round").isFalse();
    assertThat(round(50)).isFalse();
    assertThat(round(61)).isTrue();
  }

  @Test
  void roundsThatFailAreABreak() {
    round(10);
    rounds.begin(Duration.ofSeconds(20).toNanos());
    assertThat(round(30)).isFalse();
    assertThat(round(44)).isFalse();
    assertThat(round(56)).isTrue();
  }
}
