package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntSupplier;

/** How long calls wait for their answers while others keep the server busy. */
final class AnswerTimes {

  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  static final Duration AT_LATEST = Duration.ofSeconds(5);

  private AnswerTimes() {}

  /**
   * Mostly at once; on a machine with much else to do one or the other may wait for its turn.
   *
   * @param time for which the calls are repeated
   * @param calls each returns its HTTP status
   */
  static void areShortFor(Duration time, IntSupplier... calls) {
    List<Duration> waits = new ArrayList<>();
    long begin = System.nanoTime();
    do {
      for (IntSupplier call : calls) {
        long before = System.nanoTime();
        assertThat(call.getAsInt()).isEqualTo(200);
        waits.add(Duration.ofNanos(System.nanoTime() - before));
      }
    } while (System.nanoTime() - begin < time.toNanos());
    Collections.sort(waits);
    assertThat(waits.get((waits.size() - 1) / 2)).isLessThan(AT_ONCE);
    assertThat(waits.get(waits.size() - 1)).isLessThan(AT_LATEST);
  }
}
