package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

  @Test
  void delayDoublesFromTheIntervalUpToTheCap() {
    assertThat(secondsOf(new RetryPolicy(9, 5, 30, null))).startsWith(5, 10, 20, 30, 30);
    assertThat(secondsOf(new RetryPolicy(9, 10, 60, null))).startsWith(10, 20, 40, 60, 60);
    assertThat(secondsOf(new RetryPolicy(9, 7, 7, null))).startsWith(7, 7, 7);
    assertThat(secondsOf(new RetryPolicy(9, 30, 5, null))).startsWith(5, 5, 5);
  }

  @Test
  void intervalAloneIsTheCapOfADoublingFromOneSecond() {
    assertThat(secondsOf(new RetryPolicy(9, 10, null, null))).startsWith(1, 2, 4, 8, 10, 10);
    assertThat(secondsOf(new RetryPolicy(9, 1, null, null))).startsWith(1, 1, 1);
    assertThat(secondsOf(new RetryPolicy(9, 16, null, null))).startsWith(1, 2, 4, 8, 16, 16);
  }

  @Test
  void negativeIntervalIsItsAbsoluteValueEveryTime() {
    assertThat(secondsOf(new RetryPolicy(9, -7, null, null))).startsWith(7, 7, 7, 7);
    assertThat(secondsOf(new RetryPolicy(9, -7, 30, null))).startsWith(7, 7, 7, 7);
  }

  @Test
  void intervalOfZeroMeansAtOnce() {
    assertThat(secondsOf(new RetryPolicy(9, 0, null, null))).startsWith(0, 0, 0);
    assertThat(secondsOf(new RetryPolicy(9, 0, 30, 20))).startsWith(0, 0, 0);
  }

  @Test
  void capOfTheTaskWinsOverTheTypes() {
    assertThat(secondsOf(new RetryPolicy(9, 5, 30, 12))).startsWith(5, 10, 12, 12);
    assertThat(secondsOf(new RetryPolicy(9, 5, 30, 100))).startsWith(5, 10, 20, 40, 80, 100, 100);
    assertThat(secondsOf(new RetryPolicy(9, 10, null, 4))).startsWith(1, 2, 4, 4);
    assertThat(secondsOf(new RetryPolicy(9, 10, null, 20))).startsWith(1, 2, 4, 8, 16, 20);
    assertThat(secondsOf(new RetryPolicy(9, 5, 30, 0))).startsWith(0, 0);
  }

  @Test
  void capThatIsToldIsTheOneThatApplies() {
    assertThat(new RetryPolicy(3, 5, 30, null).cap()).isEqualTo(30);
    assertThat(new RetryPolicy(3, 5, 30, 12).cap()).isEqualTo(12);
    assertThat(new RetryPolicy(3, 10, null, null).cap()).isEqualTo(10);
    assertThat(new RetryPolicy(3, -10, null, null).cap()).isEqualTo(10);
  }

  @Test
  void hugeValuesNeitherOverflowNorTurnNegative() {
    int year = 31_536_000;
    RetryPolicy policy = new RetryPolicy(Integer.MAX_VALUE, year, year, null);
    assertThat(policy.delayAfter(1)).isEqualTo(Duration.ofSeconds(year));
    assertThat(policy.delayAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(year));

    int most = Integer.MAX_VALUE;
    assertThat(new RetryPolicy(9, most, most, most).delayAfter(64))
        .isEqualTo(Duration.ofSeconds(most));
    assertThat(new RetryPolicy(9, most, null, null).delayAfter(33))
        .isEqualTo(Duration.ofSeconds(most));
    assertThat(new RetryPolicy(9, Integer.MIN_VALUE, null, null).delayAfter(1))
        .isEqualTo(Duration.ofSeconds(2_147_483_648L));
  }

  @Test
  void retriesEndWithTheirNumber() {
    RetryPolicy three = new RetryPolicy(3, 5, 30, null);
    assertThat(three.allowsRetryAfter(1)).isTrue();
    assertThat(three.allowsRetryAfter(3)).isTrue();
    assertThat(three.allowsRetryAfter(4)).isFalse();
    assertThat(new RetryPolicy(0, 5, 30, null).allowsRetryAfter(1)).isFalse();
  }

  private static List<Integer> secondsOf(RetryPolicy policy) {
    return IntStream.rangeClosed(1, 8)
        .mapToObj(failures -> (int) policy.delayAfter(failures).toSeconds())
        .toList();
  }
}
