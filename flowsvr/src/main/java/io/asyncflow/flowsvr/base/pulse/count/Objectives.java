package io.asyncflow.flowsvr.base.pulse.count;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * The durations that a service promises to stay within: the buckets of a histogram for Prometheus,
 * from 10 ms to a day. Few, so that a histogram has few series.
 */
public final class Objectives {

  private static final long[] MS = {
    10,
    50,
    100,
    500,
    1_000,
    5_000,
    10_000,
    30_000,
    60_000,
    300_000,
    600_000,
    1_800_000,
    3_600_000,
    21_600_000,
    86_400_000
  };

  private Objectives() {}

  /** The upper bounds. */
  public static Duration[] durations() {
    return LongStream.of(MS).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
  }
}
