package io.asyncflow.flowsvr.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** How long calls wait for their answers while others keep the server busy. */
final class AnswerTimes {

  private static final Duration AT_ONCE = Duration.ofSeconds(1);
  static final Duration AT_LATEST = Duration.ofSeconds(15);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private AnswerTimes() {}

  /** As many rounds of calls as are told. */
  static BooleanSupplier rounds(int count) {
    AtomicInteger rounds = new AtomicInteger();
    return () -> rounds.incrementAndGet() >= count;
  }

  /**
   * Mostly at once; on a machine with much else to do one or the other may wait for its turn.
   *
   * @param end asked after each round of calls whether it was the last one
   * @param calls each returns its HTTP status
   */
  static void areShortUntil(BooleanSupplier end, IntSupplier... calls) {
    List<Duration> waits = new ArrayList<>();
    long begin = System.nanoTime();
    do {
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("for ever").isLessThan(PATIENCE);
      for (IntSupplier call : calls) {
        long before = System.nanoTime();
        assertThat(call.getAsInt()).isEqualTo(200);
        waits.add(Duration.ofNanos(System.nanoTime() - before));
      }
    } while (!end.getAsBoolean());
    Collections.sort(waits);
    assertThat(waits.get((waits.size() - 1) / 2)).isLessThan(AT_ONCE);
    assertThat(waits.get(waits.size() - 1)).isLessThan(AT_LATEST);
  }
}
