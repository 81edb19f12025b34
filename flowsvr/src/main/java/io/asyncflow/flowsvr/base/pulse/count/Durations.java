package io.asyncflow.flowsvr.base.pulse.count;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts durations. The counts only rise, so what has come since a drain is a difference, and no
 * duration is lost to a reader. Thread-safe, but for {@link #drainTo}.
 */
public final class Durations {

  private final AtomicIntegerArray buckets = new AtomicIntegerArray(Histogram.BUCKETS);
  private final int[] drained = new int[Histogram.BUCKETS];

  /** Less than 0 counts as 0. */
  public void add(long ms) {
    buckets.incrementAndGet(Histogram.bucketOf(ms));
  }

  /** Adds what has been counted since the last drain. */
  public void drainTo(Histogram histogram) {
    for (int i = 0; i < drained.length; i++) {
      int now = buckets.get(i);
      histogram.add(i, now - drained[i]); // right even if it ran over the largest number
      drained[i] = now;
    }
  }
}
