package io.asyncflow.worker.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  @Test
  void waitsDoubleFromATenthOfASecondToFiveSeconds() {
    Backoff backoff = new Backoff(Jitter.NONE);
    assertThat(IntStream.range(0, 8).mapToObj(i -> backoff.next().toMillis()))
        .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
    backoff.reset();
    assertThat(backoff.next()).isEqualTo(Duration.ofMillis(100));
  }

  @Test
  void chanceTakesUpToAHalf() {
    assertThat(new Backoff(new Jitter(() -> 0.999999)).next()).isEqualTo(Duration.ofMillis(51));
    assertThat(new Backoff(new Jitter(() -> 0.5)).after(100)).isEqualTo(Duration.ofMillis(3750));
  }
}
