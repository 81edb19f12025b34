package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestRateTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long NOW = Long.MAX_VALUE - SECOND; // the clock overflows some day

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 100, 1_000_000})
  void asManyAtOnceAsInASecond(int perSecond) {
    RequestRate rate = new RequestRate(perSecond, NOW);
    for (int i = 0; i < perSecond; i++) {
      assertThat(rate.take(NOW, 1)).isZero();
    }
    assertThat(rate.take(NOW, 1)).isBetween(Duration.ofNanos(1), Duration.ofSeconds(1));
  }

  @Test
  void whatIsRefusedTakesNothingAndIsToldWhenToComeAgain() {
    RequestRate rate = new RequestRate(2, NOW);
    rate.take(NOW, 1);
    rate.take(NOW, 1);
    assertThat(rate.take(NOW, 1)).isEqualTo(Duration.ofMillis(500));
    assertThat(rate.take(NOW + SECOND / 4, 1)).isEqualTo(Duration.ofMillis(250));
    assertThat(rate.take(NOW + SECOND / 2, 1)).isZero();
    assertThat(rate.take(NOW + SECOND / 2, 1)).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void anIdleSecondAndAnIdleHourFillItAlike() {
    RequestRate rate = new RequestRate(2, NOW);
    for (long later : new long[] {0, SECOND, 3_600 * SECOND}) {
      assertThat(rate.take(NOW + later, 1)).isZero();
      assertThat(rate.take(NOW + later, 1)).isZero();
      assertThat(rate.take(NOW + later, 1)).isPositive();
    }
  }

  @Test
  void whatMayGoAheadOfTheRateIsPaidForByTheOthers() {
    RequestRate rate = new RequestRate(1, NOW);
    for (int i = 0; i < 10; i++) {
      assertThat(rate.take(NOW, 10)).isZero();
    }
    assertThat(rate.take(NOW, 10)).isEqualTo(Duration.ofSeconds(1));
    assertThat(rate.take(NOW, 1)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void threadsTogetherGetNoMore() {
    RequestRate rate = new RequestRate(1_000, NOW);
    AtomicInteger taken = new AtomicInteger();
    IntStream.range(0, 5_000)
        .parallel()
        .filter(i -> rate.take(NOW, 1).isZero())
        .forEach(i -> taken.incrementAndGet());
    assertThat(taken).hasValue(1_000);
  }
}
